/** What a page or a redirect to a program on this machine left behind. */
export interface Visit {
  readonly url: URL;
  readonly status: number;
  readonly headers: Headers;
  readonly html: string;
}

export interface Form {
  readonly action: URL;
  readonly fields: Readonly<Record<string, string>>;
}

/** A browser without scripts: cookies, redirects, forms. Stops at the client's own loopback address. */
export class Browser {
  /** Cookies of the path `/`. Cookies do not know ports, so one jar serves everything on 127.0.0.1. */
  readonly cookies = new Map<string, string>();
  /** Cookies of narrower paths, by path and name. */
  readonly #narrow = new Map<string, { readonly path: string; readonly pair: string }>();
  readonly #stopAt: (url: URL) => boolean;

  constructor(stopAt: (url: URL) => boolean) {
    this.#stopAt = stopAt;
  }

  async open(url: URL | string, init: RequestInit = {}): Promise<Visit> {
    let next = new URL(url);
    let request = init;
    for (let hop = 0; hop < 20; hop += 1) {
      if (this.#stopAt(next)) return { url: next, status: 0, headers: new Headers(), html: "" };
      const response = await this.#fetch(next, request);
      const location = response.headers.get("location");
      const html = await response.text();
      if (location === null) return { url: next, status: response.status, headers: response.headers, html };
      next = new URL(location, next);
      request = {};
    }
    throw new Error(`Too many redirects at ${next.href}`);
  }

  /** One request, no redirect followed. */
  async #fetch(url: URL, init: RequestInit): Promise<Response> {
    const headers = new Headers(init.headers);
    headers.set("accept", "text/html");
    const narrow = [...this.#narrow.values()].filter(({ path }) => url.pathname.startsWith(path));
    const wide = [...this.cookies].map(([name, value]) => `${name}=${value}`);
    headers.set("cookie", [...narrow.map(({ pair }) => pair), ...wide].join("; "));
    const response = await fetch(url, { ...init, headers, redirect: "manual" });
    for (const cookie of response.headers.getSetCookie()) this.#keep(cookie);
    return response;
  }

  async submit(
    form: Form,
    changes: Readonly<Record<string, string>> = {},
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Visit> {
    const body = new URLSearchParams({ ...form.fields, ...changes });
    return await this.open(form.action, { method: "POST", body, headers });
  }

  #keep(cookie: string): void {
    const [pair = "", ...attributes] = cookie.split("; ");
    const name = pair.slice(0, pair.indexOf("="));
    const expires = attributes.find((attribute) => /^expires=/i.test(attribute));
    const gone = attributes.includes("Max-Age=0") || (expires && Date.parse(expires.slice(8)) < Date.now());
    const path = attributes.find((attribute) => /^path=/i.test(attribute))?.slice(5) ?? "/";
    if (path !== "/") {
      if (gone) this.#narrow.delete(`${path} ${name}`);
      else this.#narrow.set(`${path} ${name}`, { path, pair });
    } else if (gone) this.cookies.delete(name);
    else this.cookies.set(name, pair.slice(pair.indexOf("=") + 1));
  }
}

/** The first form of a page, with its hidden fields. */
export function readForm(visit: Visit): Form {
  const form = /<form[^>]*action="([^"]*)"[^>]*>([\s\S]*?)<\/form>/.exec(visit.html);
  if (form === null) throw new Error(`No form at ${visit.url.href} (${visit.status}): ${visit.html}`);
  const fields: Record<string, string> = {};
  for (const [, name = "", value = ""] of (form[2] ?? "").matchAll(
    /<input type="hidden" name="([^"]*)" value="([^"]*)"/g,
  )) {
    fields[name] = value;
  }
  return { action: new URL(form[1] ?? "", visit.url), fields };
}
