/** Keeps cookies and stops at redirects that leave the provider. */
export class Browser {
  readonly #origin: string;
  readonly #cookies = new Map<string, string>();

  constructor(origin: string) {
    this.#origin = origin;
  }

  async open(
    url: URL,
    form?: Record<string, string>,
    headers: Record<string, string> = {},
  ): Promise<{ url: URL; status: number; text: string }> {
    const response = await fetch(url, {
      redirect: "manual",
      headers: {
        ...headers,
        cookie: [...this.#cookies].map(([name, value]) => `${name}=${value}`).join("; "),
      },
      ...(form === undefined ? {} : { method: "POST", body: new URLSearchParams(form) }),
    });
    for (const cookie of response.headers.getSetCookie()) {
      const [pair = ""] = cookie.split(";");
      this.#cookies.set(pair.slice(0, pair.indexOf("=")), pair.slice(pair.indexOf("=") + 1));
    }
    const location = response.headers.get("location");
    const next = location === null ? undefined : new URL(location, url);
    if (next !== undefined && next.origin === this.#origin) {
      return this.open(next);
    }
    return { url: next ?? url, status: response.status, text: await response.text() };
  }
}
