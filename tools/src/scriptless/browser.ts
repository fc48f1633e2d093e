import { request } from "node:http";
import { text } from "node:stream/consumers";
import { CookieJar } from "./cookie-jar.js";
import { type FilledForm, type Form, type Link, parseForms, parseLinks, parseRefresh } from "./forms.js";

export { type Button, type FilledForm, type Form, readForm } from "./forms.js";

/** A page that a person would look at, or the address at which the browser stopped. */
export interface Visit {
  readonly url: URL;
  /** 0: the browser stopped before a request. */
  readonly status: number;
  readonly headers: Headers;
  readonly html: string;
  /** In the order of the page. */
  readonly forms: readonly Form[];
  /** In the order of the page. */
  readonly links: readonly Link[];
  /** Where the page leads to by itself, at once. */
  readonly leadsTo: URL | undefined;
}

/** By name in lower case; `undefined`: not sent, although a browser would. */
type SentHeaders = Readonly<Record<string, string | undefined>>;

/** What is sent instead of what a browser would. */
interface Init {
  readonly method?: string;
  readonly headers?: SentHeaders;
  readonly body?: URLSearchParams | string;
}

const maxRedirects = 20;

/** A browser without a window and without scripts: follows redirects, keeps cookies, sends forms. Plain http only. */
export class Browser {
  readonly cookies = new CookieJar();
  readonly #stopAt: (url: URL) => boolean;

  /** @param stopAt - an address that is not asked, such as the one of a client that does not run */
  constructor(stopAt: (url: URL) => boolean = () => false) {
    this.#stopAt = stopAt;
  }

  /**
   * Opens an address and follows redirects until there is a page.
   *
   * @throws {Error} There are too many redirects, or no answer.
   */
  async open(url: URL | string, init: Init = {}): Promise<Visit> {
    return await this.#visit(new URL(url), {
      ...init,
      headers: { "sec-fetch-site": "none", ...init.headers },
    });
  }

  /**
   * Sends a form as it is, but for these fields, among them the button that is pressed.
   *
   * @throws {Error} As {@link open}.
   */
  async submit(
    { action, fields, method = "POST", from }: FilledForm,
    changes: Readonly<Record<string, string>> = {},
    headers: SentHeaders = {},
  ): Promise<Visit> {
    const body = new URLSearchParams({ ...fields, ...changes });
    const { url: page, referrerPolicy } = from ?? { url: action, referrerPolicy: "" };
    const site = { "sec-fetch-site": action.origin === page.origin ? "same-origin" : "cross-site" };
    if (method !== "POST") {
      const url = new URL(action);
      url.search = body.toString();
      return await this.#visit(url, { headers: { ...site, ...headers } });
    }
    const origin = referrerPolicy === "no-referrer" ? "null" : page.origin;
    return await this.#visit(action, { method, body, headers: { ...site, origin, ...headers } });
  }

  async #visit(start: URL, init: Init): Promise<Visit> {
    let url = start;
    let { method, body, headers } = init;
    for (let hop = 0; hop < maxRedirects; hop += 1) {
      if (this.#stopAt(url)) return visitOf({ status: 0, headers: new Headers(), html: "" }, url);
      const answer = await this.#send(url, { method, body, headers });
      const location = answer.headers.get("location");
      if (answer.status < 300 || answer.status > 399 || location === null) return visitOf(answer, url);
      url = new URL(location, url);
      // 307 and 308 repeat the form; everything else becomes a GET.
      if (answer.status !== 307 && answer.status !== 308) {
        method = "GET";
        body = undefined;
        headers = Object.fromEntries(Object.entries(headers ?? {}).filter(([name]) => name !== "origin"));
      }
    }
    throw new Error(`${start.href} redirects more than ${maxRedirects} times.`);
  }

  async #send(url: URL, { method = "GET", body, headers }: Sent): Promise<Answer> {
    const cookie = this.cookies.header(url);
    const answer = await send(url, method, body?.toString(), {
      accept: "text/html",
      "accept-language": "en",
      "sec-fetch-dest": "document",
      "sec-fetch-mode": "navigate",
      ...(cookie !== "" && { cookie }),
      ...(body !== undefined && { "content-type": "application/x-www-form-urlencoded" }),
      ...headers,
    });
    this.cookies.store(url, answer.headers.getSetCookie());
    return answer;
  }
}

type Sent = { [Name in keyof Init]: Init[Name] | undefined };

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly html: string;
}

function visitOf(answer: Answer, url: URL): Visit {
  const next = parseRefresh(answer.html);
  return {
    ...answer,
    url,
    forms: parseForms(answer, url),
    links: parseLinks(answer.html, url),
    leadsTo: next === undefined ? undefined : new URL(next, url),
  };
}

/** One request. Not `fetch`, which replaces the headers that tell a server how a browser came to send a request. */
function send(url: URL, method: string, body: string | undefined, headers: SentHeaders): Promise<Answer> {
  return new Promise((resolve, reject) => {
    // Of its own connection: a kept one may end just now, with a server that is started anew.
    const outgoing = request(url, { method, agent: false });
    for (const [name, value] of Object.entries(headers))
      if (value !== undefined) outgoing.setHeader(name, value);
    outgoing.once("error", reject);
    outgoing.once("response", (incoming) => {
      const answered = new Headers();
      for (const [name, values = []] of Object.entries(incoming.headersDistinct))
        for (const value of values) answered.append(name, value);
      text(incoming).then(
        (html) => resolve({ status: incoming.statusCode ?? 0, headers: answered, html }),
        reject,
      );
    });
    outgoing.end(body);
  });
}
