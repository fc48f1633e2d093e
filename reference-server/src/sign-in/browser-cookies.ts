import { hashSecret } from "../protocol/secrets.js";
import { lifetimes } from "../protocol/vocabulary.js";
import type { BrowserSession } from "../store/browser-sessions.js";
import type { Store } from "../store/store.js";
import { type Browser, createBrowserSecret, isBrowserSecret } from "./browser.js";

/** A request whose cookies are parsed; signatures are checked with `AUTH_SESSION_SECRET`. */
export interface CookieReader {
  readonly cookies: Readonly<Record<string, string | undefined>>;
  unsignCookie(value: string): { readonly valid: boolean; readonly value: string | null };
}

/** An answer that can set cookies. */
export interface CookieWriter {
  setCookie(name: string, value: string, options: object): unknown;
  clearCookie(name: string, options: object): unknown;
  signCookie(value: string): string;
}

/** The cookies of this server: the browser's own secret, the session of whoever is signed in, the draft of a set-up. */
export interface BrowserCookies {
  /** The browser behind a request, when it has been here before. */
  readBrowser(request: CookieReader): Promise<Browser | undefined>;
  /** The browser behind a request; a new one gets its secret with the answer. */
  ensureBrowser(request: CookieReader, reply: CookieWriter): Promise<Browser & { readonly secret: string }>;
  readSecret(request: CookieReader): string | undefined;
  readSession(request: CookieReader): Promise<BrowserSession | undefined>;
  writeSession(reply: CookieWriter, token: string): void;
  clearSession(reply: CookieWriter): void;
  /** The draft of a set-up in this browser, sealed. */
  readSetUp(request: CookieReader): string | undefined;
  writeSetUp(reply: CookieWriter, draft: string, maxAgeSeconds: number): void;
  clearSetUp(reply: CookieWriter): void;
}

/**
 * Creates the reader and writer of this server's cookies.
 *
 * `__Host-` names are refused by browsers on plain http, so development on loopback has its own names.
 */
export function createBrowserCookies(options: {
  readonly https: boolean;
  readonly store: { readonly browserSessions: Pick<Store["browserSessions"], "findLive"> };
  readonly now: () => Date;
}): BrowserCookies {
  const { https, store, now } = options;
  const prefix = https ? "__Host-" : "";
  const names = {
    browser: `${prefix}authz-browser`,
    session: `${prefix}authz-session`,
    setUp: `${prefix}authz-setup`,
  };
  const attributes = { path: "/", httpOnly: true, sameSite: "lax", secure: https } as const;

  function readSecret(request: CookieReader): string | undefined {
    const value = request.cookies[names.browser];
    return value !== undefined && isBrowserSecret(value) ? value : undefined;
  }

  async function readSession(request: CookieReader): Promise<BrowserSession | undefined> {
    const signed = request.cookies[names.session];
    const token = signed === undefined ? undefined : request.unsignCookie(signed);
    if (!token?.valid || token.value === null) return undefined;
    return await store.browserSessions.findLive(hashSecret(token.value), now());
  }

  return {
    readSecret,
    readSession,
    async readBrowser(request) {
      const secret = readSecret(request);
      return secret === undefined
        ? undefined
        : { hash: hashSecret(secret), session: await readSession(request) };
    },
    async ensureBrowser(request, reply) {
      const known = readSecret(request);
      const secret = known ?? createBrowserSecret();
      if (known === undefined) reply.setCookie(names.browser, secret, { ...attributes, maxAge: 24 * 3600 });
      return { secret, hash: hashSecret(secret), session: await readSession(request) };
    },
    writeSession(reply, token) {
      const value = reply.signCookie(token);
      reply.setCookie(names.session, value, { ...attributes, maxAge: lifetimes.browserSession });
    },
    readSetUp: (request) => request.cookies[names.setUp],
    writeSetUp(reply, draft, maxAgeSeconds) {
      reply.setCookie(names.setUp, draft, { ...attributes, maxAge: Math.max(Math.floor(maxAgeSeconds), 1) });
    },
    clearSetUp: (reply) => void reply.clearCookie(names.setUp, attributes),
    clearSession: (reply) => void reply.clearCookie(names.session, attributes),
  };
}
