import { checkAudience, checkLifetime } from "@authz/dpop/jwt";
import { isAccountIdentifier } from "../sign-in/identity.js";
import type { IdentityProvider } from "../store/identity-providers.js";
import { readToken, type ReceivedToken, refusing } from "./provider-token.js";
import { SignalError } from "./signal-error.js";

const logoutEvent = "http://schemas.openid.net/event/backchannel-logout";

/** Longest lifetime of a logout token in seconds, and that of one without `exp`. The standard recommends two minutes. */
const maxLifetimeSeconds = 3600;

/** A logout token whose signature is not verified yet: whose sessions end. */
export interface LogoutToken extends ReceivedToken {
  readonly subject: string | undefined;
  /** What the provider calls the session; `undefined`: all sessions of the subject. */
  readonly sid: string | undefined;
  readonly expiresAt: Date;
}

/**
 * Parses a logout token strictly.
 *
 * The type is required, although the standard only recommends it: without it, a token of another kind could be taken for one.
 *
 * @throws {SignalError}
 * @see {@link https://openid.net/specs/openid-connect-backchannel-1_0.html#Validation | Back-Channel Logout 1.0 §2.6}
 */
export function readLogoutToken(
  token: string,
  { provider, now }: { readonly provider: IdentityProvider; readonly now: Date },
): LogoutToken {
  const { issuer, clientId: audience } = provider;
  const received = readToken(token, { type: "logout+jwt", issuer, audience, now });
  const { claims, eventType } = received;
  if (eventType !== logoutEvent) throw new SignalError("events");
  if (Object.hasOwn(claims, "nonce")) throw new SignalError("nonce");
  const seconds = Math.floor(now.getTime() / 1000);
  const { expiresAt } = refusing(() => {
    // No other audience, as in an ID token.
    checkAudience(claims, audience);
    // Older providers send no `exp`.
    const exp = claims["exp"] === undefined ? Number(claims["iat"]) + maxLifetimeSeconds : claims["exp"];
    return checkLifetime({ ...claims, exp }, { now: seconds, maximum: maxLifetimeSeconds });
  });
  const subject = readName(claims["sub"]);
  const sid = readName(claims["sid"]);
  if (subject === undefined && sid === undefined) throw new SignalError("subject");
  return { ...received, subject, sid, expiresAt: new Date(expiresAt * 1000) };
}

function readName(value: unknown): string | undefined {
  if (value === undefined) return undefined;
  if (!isAccountIdentifier(value)) throw new SignalError("subject");
  return value;
}
