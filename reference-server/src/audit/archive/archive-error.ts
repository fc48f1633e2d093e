/** An archive cannot be written, read or removed; the message says why, and what to do. */
export class ArchiveError extends Error {
  override readonly name = "ArchiveError";
}
