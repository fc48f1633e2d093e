import { type IncomingHttpHeaders, request } from "node:http";
import { text } from "node:stream/consumers";
import { CookieJar } from "./cookie-jar.js";
import { type Button, type Form, parseForms, parseRefresh } from "./forms.js";

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

/** A browser without a window and without scripts: follows redirects and pages that lead on, keeps cookies, sends forms. */
export class Browser {
  readonly #cookies = new CookieJar();

  /** Opens an address and follows redirects until there is a page. */
  open(url: URL): Promise<Page> {
    return this.#visit(url, { "sec-fetch-site": "none" });
  }

  /** Presses a button of a form. */
  submit(page: Page, form: Form, button: Button): Promise<Page> {
    const target = new URL(form.action, page.url);
    const values = new URLSearchParams(form.fields.map(([name, value]): [string, string] => [name, value]));
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
      const answer = await this.#send(url, headers, body);
      const location = nextAddress(answer);
      if (location === undefined) {
        const referrerPolicy = String(answer.headers["referrer-policy"] ?? "");
        return {
          url,
          status: answer.status,
          html: answer.text,
          forms: parseForms(answer.text),
          referrerPolicy,
        };
      }
      url = new URL(location, url);
      // 307 and 308 repeat the form; everything else becomes a GET.
      body = answer.status === 307 || answer.status === 308 ? body : undefined;
    }
    throw new Error(`${start.href} redirects more than ${MAX_REDIRECTS} times.`);
  }

  async #send(
    url: URL,
    { origin, ...headers }: Record<string, string>,
    form?: URLSearchParams,
  ): Promise<Answer> {
    const cookie = this.#cookies.header(url);
    const answer = await send(url, form?.toString(), {
      accept: "text/html",
      "accept-language": "en",
      "sec-fetch-dest": "document",
      "sec-fetch-mode": "navigate",
      ...headers,
      ...(cookie === "" ? {} : { cookie }),
      ...(form === undefined ? {} : { "content-type": "application/x-www-form-urlencoded" }),
      ...(form === undefined || origin === undefined ? {} : { origin }),
    });
    this.#cookies.store(url, answer.headers["set-cookie"] ?? []);
    return answer;
  }
}

interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** Where an answer sends the browser on by itself: a redirect, or a page that refreshes to another address at once. */
function nextAddress({ status, headers, text: page }: Answer): string | undefined {
  if (status >= 300 && status <= 399) {
    return headers.location;
  }
  return parseRefresh(page);
}

/** One request. Not `fetch`, which replaces the headers that tell a server how a browser came to send a request. */
function send(url: URL, body: string | undefined, headers: Record<string, string>): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const outgoing = request(url, { method: body === undefined ? "GET" : "POST", headers });
    outgoing.once("error", reject);
    outgoing.once("response", (incoming) => {
      text(incoming).then(
        (content) => resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, text: content }),
        reject,
      );
    });
    outgoing.end(body);
  });
}
