/**
 * The form of a scope: `namespace:permission`. Nothing in it means anything to a shell, a header or a page, wherever it is shown.
 */
export const scopePattern: RegExp = /^[a-z0-9-]+:[a-z0-9-]+$/;

/** Whether a text is a scope of at most 200 characters. */
export function isScope(text: unknown): text is string {
  return typeof text === "string" && text.length <= 200 && scopePattern.test(text);
}
