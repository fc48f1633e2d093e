/** A failure that the person at the terminal can do something about: the message is all they need to see. */
export class ReadableError extends Error {
  override readonly name = "ReadableError";
}
