/** Turns the server's message about a field, which continues the field's name, into a sentence of its own. */
export function fieldSentence(message: string): string {
  const sentence = message.slice(0, 1).toUpperCase() + message.slice(1);
  return /[.!?]$/.test(sentence) ? sentence : `${sentence}.`;
}
