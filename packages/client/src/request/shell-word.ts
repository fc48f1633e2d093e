/**
 * A text as one word of a command that is offered to be typed: in single quotes unless a POSIX shell takes every character as it is.
 */
export function shellWord(text: string): string {
  return /^[\w.:/@%+=-][\w.~:/@%+,=-]*$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
