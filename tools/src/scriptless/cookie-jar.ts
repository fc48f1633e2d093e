interface Cookie {
  readonly host: string;
  readonly name: string;
  readonly value: string;
  readonly path: string;
}

/**
 * The cookies of a browser, by the rules of a strict browser: `Secure` cookies do not exist on plain http, and the
 * prefixes `__Host-` and `__Secure-` are refused with them. Ports do not separate cookies.
 */
export class CookieJar {
  readonly #cookies = new Map<string, Cookie>();

  store(url: URL, setCookies: readonly string[]): void {
    for (const text of setCookies) {
      const [[name, value] = ["", ""], ...attributes] = text
        .split(";")
        .map((part) => splitAtEquals(part.trim()));
      const attribute = new Map(attributes.map(([key, content]) => [key.toLowerCase(), content]));
      if (url.protocol === "http:" && (attribute.has("secure") || /^__(?:host|secure)-/i.test(name)))
        continue;
      const cookie = { host: url.hostname, name, value, path: attribute.get("path") || "/" };
      if (isOver(attribute.get("max-age"), attribute.get("expires"))) this.#cookies.delete(keyOf(cookie));
      else this.#cookies.set(keyOf(cookie), cookie);
    }
  }

  header(url: URL): string {
    return [...this.#cookies.values()]
      .filter(({ host, path }) => host === url.hostname && covers(path, url.pathname))
      .map(({ name, value }) => `${name}=${value}`)
      .join("; ");
  }

  /** The value of a cookie that every path gets. */
  get(name: string): string | undefined {
    return new Map(this).get(name);
  }

  has(name: string): boolean {
    return this.get(name) !== undefined;
  }

  /** Puts a cookie there that every path of this computer gets. */
  set(name: string, value: string): void {
    this.store(new URL("http://127.0.0.1"), [`${name}=${value}`]);
  }

  /** Names and values of the cookies that every path gets. */
  *[Symbol.iterator](): Generator<[name: string, value: string]> {
    for (const { name, value, path } of this.#cookies.values()) if (path === "/") yield [name, value];
  }
}

function keyOf({ host, path, name }: Cookie): string {
  return `${host} ${path} ${name}`;
}

function covers(cookiePath: string, path: string): boolean {
  return path === cookiePath || path.startsWith(cookiePath.endsWith("/") ? cookiePath : `${cookiePath}/`);
}

function isOver(maxAge: string | undefined, expires: string | undefined): boolean {
  return maxAge === undefined
    ? expires !== undefined && Date.parse(expires) <= Date.now()
    : Number(maxAge) <= 0;
}

function splitAtEquals(text: string): [string, string] {
  const index = text.indexOf("=");
  return index === -1 ? [text, ""] : [text.slice(0, index), text.slice(index + 1)];
}
