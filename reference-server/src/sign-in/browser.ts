import { createHmac, timingSafeEqual } from "node:crypto";
import { createSecret, hashSecret } from "../protocol/secrets.js";
import type { BrowserSession } from "../store/browser-sessions.js";

/** The browser behind a request, and who is signed in in it. */
export interface Browser {
  /** SHA-256 of the browser's own secret. */
  readonly hash: Buffer;
  readonly session: BrowserSession | undefined;
}

/** The secret that one browser keeps in a cookie; sign-ins and authorization requests are bound to it. */
export function createBrowserSecret(): string {
  return createSecret();
}

/** Whether a cookie's text can be a browser's secret. */
export function isBrowserSecret(text: string): boolean {
  return /^[A-Za-z0-9_-]{43}$/.test(text);
}

/** What one way to the provider and back uses. Derived, so that the database never holds it. */
export interface AttemptSecrets {
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

/** The token that a form carries back, so that no other site can post it. */
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
