/** What the file with the private half of a key is called. A kid that somebody chose may have any printable character. */
export function keyFileName(kid: string): string {
  return `authz-key-${kid.replaceAll(/[^\w.-]/g, "_")}.json`;
}
