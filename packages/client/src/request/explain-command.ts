/** The `authz` command that explains whether a request is allowed, ready to be pasted into a shell. */
export function explainCommand(url: string, scopes: readonly string[] = []): string {
  const { origin, pathname } = new URL(url);
  const address = `${origin}${pathname}`;
  const word = /^[\w.~:/%@+,=-]+$/.test(address) ? address : `'${address.replaceAll("'", "%27")}'`;
  return ["authz why", ...scopes.map((scope) => `--scope ${scope}`), word].join(" ");
}
