/** Services on this computer have no certificate. */
const loopback = /^(?:127(?:\.\d+){3}|\[::1\]|localhost)(?::|\/|$)/i;

/** People paste what stands in their browser: without a scheme, or with a path. */
export function normalizeOrigin(typed: string): string {
  const text = typed.trim();
  const scheme = loopback.test(text) ? "http" : "https";
  const address = /^[a-z]+:\/\//i.test(text) ? text : `${scheme}://${text}`;
  return URL.canParse(address) ? new URL(address).origin : text;
}
