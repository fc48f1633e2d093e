/** @throws {TypeError} The object has a member that is not listed; the message names it. */
export function requireKnownMembers(what: string, value: object, names: readonly string[]): void {
  const unknown = Object.keys(value).find((name) => !names.includes(name));
  if (unknown === undefined) return;
  const known = `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
  throw new TypeError(`${what} has an unknown member "${unknown}". Known names: ${known}.`);
}
