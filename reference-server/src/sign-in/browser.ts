import { createHmac, timingSafeEqual } from "node:crypto";
import { type Parameters, readForm } from "../protocol/parameters.js";
import { createSecret, hashSecret } from "../protocol/secrets.js";
import { lifetimes } from "../protocol/vocabulary.js";
import type { BrowserSession } from "../store/browser-sessions.js";
import type { Store } from "../store/store.js";
import type { User } from "../store/users.js";

/** The browser behind a request, and its session. */
export interface Browser {
  /** SHA-256 of the browser's own secret. */
  readonly hash: Buffer;
  readonly session: BrowserSession | undefined;
}

/** A secret for a browser's cookie, to which sign-ins and authorization requests are bound. */
export function createBrowserSecret(): string {
  return createSecret();
}

/** Whether a cookie's text can be a browser's secret. */
function isBrowserSecret(text: string): boolean {
  return /^[A-Za-z0-9_-]{43}$/.test(text);
}

/** The secrets of one round trip to the provider. Derived, so that the database never holds them. */
interface AttemptSecrets {
  readonly stateHash: Buffer;
  readonly browserHash: Buffer;
  readonly nonce: string;
  readonly codeVerifier: string;
}

/** Derives nonce and code verifier of an attempt from the browser's secret and `state`. */
export function attemptSecrets(browserSecret: string, state: string): AttemptSecrets {
  const derive = (purpose: string) =>
    createHmac("sha256", browserSecret).update(`${purpose}:${state}`).digest("base64url");
  return {
    stateHash: hashSecret(state),
    browserHash: hashSecret(browserSecret),
    nonce: derive("nonce"),
    codeVerifier: derive("code_verifier"),
  };
}

/** The CSRF token of a form. */
export function csrfToken(sessionSecret: Buffer, session: Pick<BrowserSession, "id">, form: string): string {
  return createHmac("sha256", sessionSecret).update(`csrf:${session.id}:${form}`).digest("base64url");
}

export function isCsrfToken(token: string | undefined, expected: string): boolean {
  const given = Buffer.from(token ?? "");
  const wanted = Buffer.from(expected);
  return given.length === wanted.length && timingSafeEqual(given, wanted);
}

/**
 * Whether a form post can come from a page of this server.
 *
 * Headers that a browser did not send count as fine: the form's token decides then. `Origin: null` is what a
 * page without a referrer sends, so it only counts together with `Sec-Fetch-Site`.
 */
export function isOwnForm(
  headers: Readonly<Record<string, string | readonly string[] | undefined>>,
  issuer: string,
): boolean {
  const { origin, "sec-fetch-site": site } = headers;
  if (site !== undefined && site !== "same-origin") return false;
  if (origin === "null") return site === "same-origin";
  return origin === undefined || origin === issuer;
}

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

/** The cookies of this server: the browser's own secret, the signed-in session, the draft of a set-up. */
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

/** The session and the user of a browser. */
export interface SignedIn {
  readonly session: BrowserSession;
  readonly user: User;
}

/** A form that was posted from this server's own page, by the user it was rendered for. */
export interface OwnPost extends SignedIn {
  readonly form: Parameters;
}

/** A request with cookies and an unparsed body. */
interface BrowserRequest extends CookieReader {
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>> & {
    readonly "content-type"?: string | undefined;
  };
  readonly body: unknown;
}

/** The forms of a signed-in user. */
export interface OwnForms {
  readonly readSignedIn: (request: BrowserRequest) => Promise<SignedIn | undefined>;
  /** The CSRF token of the form with this name. */
  readonly csrfOf: (signedIn: SignedIn, name: string) => string;
  /** A post of that form; `undefined` when it did not come from this server's own page. */
  readonly readOwnPost: (request: BrowserRequest, name: string) => Promise<OwnPost | undefined>;
}

export function createOwnForms(options: {
  readonly store: { readonly users: Pick<Store["users"], "find"> };
  readonly cookies: Pick<BrowserCookies, "readSession">;
  readonly issuer: string;
  readonly sessionSecret: Buffer;
}): OwnForms {
  const { store, cookies, issuer, sessionSecret } = options;
  const csrfOf = ({ session }: SignedIn, name: string) => csrfToken(sessionSecret, session, name);

  async function readSignedIn(request: BrowserRequest): Promise<SignedIn | undefined> {
    const session = await cookies.readSession(request);
    const user = session && (await store.users.find(session.userId));
    return session && user?.enabled ? { session, user } : undefined;
  }

  return {
    readSignedIn,
    csrfOf,
    async readOwnPost(request, name) {
      const form = readForm(request);
      const signedIn = await readSignedIn(request);
      if (form === undefined || signedIn === undefined || !isOwnForm(request.headers, issuer))
        return undefined;
      return isCsrfToken(form.get("csrf"), csrfOf(signedIn, name)) ? { ...signedIn, form } : undefined;
    },
  };
}
