/** A header line as it came over the wire: name and value. Repeated names stay repeated. */
export type HeaderLine = readonly [name: string, value: string];

/** Pairs the flat list of Node's `rawHeaders`. */
export function pairHeaderLines(rawHeaders: readonly string[]): readonly HeaderLine[] {
  const lines: HeaderLine[] = [];
  for (let index = 0; index < rawHeaders.length; index += 2) {
    lines.push([rawHeaders[index] ?? "", rawHeaders[index + 1] ?? ""]);
  }
  return lines;
}

/** Every value of a header. */
export function headerValues(lines: readonly HeaderLine[], name: string): readonly string[] {
  return lines.filter(([other]) => other.toLowerCase() === name).map(([, value]) => value);
}

/** The hop-by-hop headers that `Connection` lists (RFC 9110 §7.6.1). */
export function namesOfConnection(lines: readonly HeaderLine[]): ReadonlySet<string> {
  return new Set(
    headerValues(lines, "connection")
      .flatMap((value) => value.split(","))
      .map((name) => name.trim().toLowerCase()),
  );
}

/** Whether a line can be written again without changing its meaning or becoming two. */
export function isWellFormed([name, value]: HeaderLine): boolean {
  // Not an ordinary member of a JavaScript object.
  if (name.toLowerCase() === "__proto__") return false;
  return /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/.test(name) && !/[^\t\x20-\x7e\x80-\xff]/.test(value);
}
