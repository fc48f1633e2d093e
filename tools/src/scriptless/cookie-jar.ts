interface Cookie {
  readonly name: string;
  readonly value: string;
  readonly path: string;
}

/**
 * The cookies of one host, by the rules of a strict browser: `Secure` cookies do not exist on plain http, and the
 * prefixes `__Host-` and `__Secure-` are refused with them. Ports do not separate cookies.
 */
export class CookieJar {
  readonly #cookies = new Map<string, Cookie>();

  store(url: URL, setCookies: readonly string[]): void {
    for (const text of setCookies) {
      const [pair = "", ...attributes] = text.split(";").map((part) => part.trim());
      const [name, value] = splitAt(pair, "=");
      const attribute = new Map(
        attributes.map((part) => splitAt(part, "=")).map(([key, content]) => [key.toLowerCase(), content]),
      );
      if (url.protocol === "http:" && (attribute.has("secure") || /^__(?:host|secure)-/i.test(name))) {
        continue;
      }
      const path = attribute.get("path") || "/";
      const key = `${url.hostname} ${path} ${name}`;
      if (isOver(attribute.get("max-age"), attribute.get("expires"))) {
        this.#cookies.delete(key);
      } else {
        this.#cookies.set(key, { name, value, path });
      }
    }
  }

  header(url: URL): string {
    return [...this.#cookies]
      .filter(([key, { path }]) => key.startsWith(`${url.hostname} `) && covers(path, url.pathname))
      .map(([, { name, value }]) => `${name}=${value}`)
      .join("; ");
  }
}

function covers(cookiePath: string, path: string): boolean {
  return path === cookiePath || path.startsWith(cookiePath.endsWith("/") ? cookiePath : `${cookiePath}/`);
}

function isOver(maxAge: string | undefined, expires: string | undefined): boolean {
  return maxAge === undefined
    ? expires !== undefined && Date.parse(expires) <= Date.now()
    : Number(maxAge) <= 0;
}

function splitAt(text: string, separator: string): [string, string] {
  const index = text.indexOf(separator);
  return index === -1 ? [text, ""] : [text.slice(0, index), text.slice(index + 1)];
}
