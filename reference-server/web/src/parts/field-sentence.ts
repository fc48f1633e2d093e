/** What the server says about a field, which it says behind the field's name, as a sentence of its own. */
export function fieldSentence(message: string): string {
  const sentence = message.slice(0, 1).toUpperCase() + message.slice(1);
  return /[.!?]$/.test(sentence) ? sentence : `${sentence}.`;
}
