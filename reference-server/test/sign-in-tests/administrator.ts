import { createBrowser, signIn } from "../support/device.js";
import type { Browser } from "../support/browser.js";

/** What the administration API answers. */
interface Answer {
  readonly status: number;
  readonly body: Record<string, unknown>;
}

/** A person in a browser of their own, who calls the administration API from it. */
export interface Administrator {
  readonly browser: Browser;
  call(method: string, path: string, options?: { body?: object; version?: number }): Promise<Answer>;
}

/** Signs a person in at the console. The browser stops where a provider sends it back to `stopsAt`. */
export async function signInAtConsole(
  issuer: string,
  person: string,
  stopsAt: (url: URL) => boolean = () => false,
): Promise<Administrator> {
  const browser = createBrowser(stopsAt);
  await signIn(browser, `${issuer}/sign-in/start?provider=acme`, person);
  const cookie = () => [...browser.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
  const send = async (method: string, path: string, headers: Record<string, string>, body?: object) => {
    const response = await fetch(`${issuer}/api/admin/v1${path}`, {
      method,
      headers: { cookie: cookie(), origin: issuer, ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, body: (text === "" ? {} : JSON.parse(text)) as Answer["body"] };
  };
  const { body: session } = await send("GET", "/session", {});
  return {
    browser,
    call: async (method, path, { body, version } = {}) =>
      await send(
        method,
        path,
        {
          "x-authz-csrf": String(session["csrfToken"]),
          ...(body !== undefined && { "content-type": "application/json" }),
          ...(version !== undefined && { "if-match": `"${version}"` }),
        },
        body,
      ),
  };
}
