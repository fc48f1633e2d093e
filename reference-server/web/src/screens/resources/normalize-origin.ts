/** People paste what stands in their browser: without a scheme, or with a path. */
export function normalizeOrigin(typed: string): string {
  const text = typed.trim();
  const address = /^[a-z]+:\/\//i.test(text) ? text : `https://${text}`;
  return URL.canParse(address) ? new URL(address).origin : text;
}
