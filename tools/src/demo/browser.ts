import { CookieJar } from "./cookie-jar.js";
import { type Button, type Form, parseForms } from "./forms.js";

/** A page that a person would look at. */
export interface Page {
  readonly url: URL;
  readonly status: number;
  readonly html: string;
  readonly forms: readonly Form[];
  /** What the page lets its forms say about where they come from. */
  readonly referrerPolicy: string;
}

const MAX_REDIRECTS = 20;

/** A browser without a window and without scripts: follows redirects, keeps cookies, sends forms. */
export class Browser {
  readonly #cookies = new CookieJar();

  /** Opens an address and follows redirects until there is a page. */
  open(url: URL): Promise<Page> {
    return this.#visit(url, { "sec-fetch-site": "none" });
  }

  /** Presses a button of a form. */
  submit(page: Page, form: Form, button: Button): Promise<Page> {
    const target = new URL(form.action, page.url);
    const values = new URLSearchParams(form.fields.map(([name, value]) => [name, value]));
    if (button.name !== "") {
      values.append(button.name, button.value);
    }
    const site = { "sec-fetch-site": target.origin === page.url.origin ? "same-origin" : "cross-site" };
    if (form.method !== "POST") {
      target.search = values.toString();
      return this.#visit(target, site);
    }
    const origin = page.referrerPolicy === "no-referrer" ? "null" : page.url.origin;
    return this.#visit(target, { ...site, origin }, values);
  }

  async #visit(start: URL, headers: Record<string, string>, form?: URLSearchParams): Promise<Page> {
    let url = start;
    let body = form;
    for (let hop = 0; hop < MAX_REDIRECTS; hop += 1) {
      const response = await this.#send(url, headers, body);
      const location = response.headers.get("location");
      const html = await response.text();
      if (response.status < 300 || response.status > 399 || location === null) {
        const referrerPolicy = response.headers.get("referrer-policy") ?? "";
        return { url, status: response.status, html, forms: parseForms(html), referrerPolicy };
      }
      url = new URL(location, url);
      // 307 and 308 repeat the form; everything else becomes a GET.
      body = response.status === 307 || response.status === 308 ? body : undefined;
    }
    throw new Error(`${start.href} redirects more than ${MAX_REDIRECTS} times.`);
  }

  async #send(
    url: URL,
    headers: Record<string, string>,
    body: URLSearchParams | undefined,
  ): Promise<Response> {
    const { origin, ...common } = headers;
    const response = await fetch(url, {
      redirect: "manual",
      headers: {
        ...common,
        accept: "text/html",
        "accept-language": "en",
        cookie: this.#cookies.header(url),
        "sec-fetch-dest": "document",
        "sec-fetch-mode": "navigate",
        ...(body === undefined || origin === undefined ? {} : { origin }),
      },
      ...(body === undefined ? {} : { method: "POST", body }),
    });
    this.#cookies.store(url, response.headers.getSetCookie());
    return response;
  }
}
