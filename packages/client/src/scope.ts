/**
 * Whether a string is a permission: `namespace:permission`, as the authorization server registers them. Nothing in it means
 * anything elsewhere, such as in a header or in a command that a program offers.
 */
export function isScope(text: string): boolean {
  return text.length <= 200 && /^[a-z0-9-]+:[a-z0-9-]+$/.test(text);
}
