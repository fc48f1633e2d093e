/** Services on this computer have no certificate. */
const loopback = /^(?:127(?:\.\d+){3}|\[::1\]|localhost)(?::|\/|$)/i;

/** The address of a service as the server expects it. Accepts what people paste: without a scheme, or with a query. */
export function normalizeAddress(typed: string): string {
  const text = typed.trim();
  const scheme = loopback.test(text) ? "http" : "https";
  const address = /^[a-z]+:\/\//i.test(text) ? text : `${scheme}://${text}`;
  if (!URL.canParse(address)) return text;
  const { origin, pathname } = new URL(address);
  return pathname === "/" ? origin : origin + pathname;
}
