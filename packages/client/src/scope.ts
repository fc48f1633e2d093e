/**
 * Whether a text is a permission: `namespace:permission`, as the authorization server registers them. Nothing in it means anything to a
 * shell, where it may be typed.
 */
export function isScope(text: string): boolean {
  return text.length <= 200 && /^[a-z0-9-]+:[a-z0-9-]+$/.test(text);
}
