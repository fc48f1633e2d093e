/**
 * The short code of a device: eight characters of its key's thumbprint in two groups.
 *
 * The client prints the same code, so that people can compare.
 */
export function shortCode(thumbprint: string): string {
  return `${thumbprint.slice(0, 4)}-${thumbprint.slice(4, 8)}`;
}
