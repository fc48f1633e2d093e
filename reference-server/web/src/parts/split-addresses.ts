/** Splits pasted lists of addresses, with any common separators. */
export function splitAddresses(texts: readonly string[]): string[] {
  const addresses = texts.flatMap((text) => text.toLowerCase().split(/[\s,;]+/));
  return [...new Set(addresses.map((address) => address.replace(/^<(.*)>$/, "$1")).filter(Boolean))];
}
