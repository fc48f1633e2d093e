/** The name of the file with a private key. A kid may contain any printable character. */
export function keyFileName(kid: string): string {
  return `authz-key-${kid.replaceAll(/[^\w.-]/g, "_")}.json`;
}
