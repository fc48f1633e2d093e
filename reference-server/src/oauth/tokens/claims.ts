import type { Grant } from "../../store/grants.js";
import type { Resource } from "../../store/resources.js";
import type { User } from "../../store/users.js";

/** Header types of the tokens this server signs. */
export const tokenHeaders = {
  accessToken: "at+jwt",
  idToken: "JWT",
  identityAssertion: "oauth-id-jag+jwt",
} as const;

/** The grant that a token comes from, the person behind it and the service it is for, at one moment. */
export interface TokenSubject {
  readonly grant: Grant;
  readonly user: User;
  /** `undefined`: this server's own API. */
  readonly resource: Resource | undefined;
}

/** Claims that every token of this server has. */
export interface LifetimeClaims {
  readonly iat: number;
  readonly exp: number;
}

/** The audience of access tokens for the server's own API. */
export function apiAudience(issuer: string): string {
  return `${issuer}/api`;
}

/** A NumericDate. */
export function inSeconds(date: Date): number {
  return Math.floor(date.getTime() / 1000);
}

/**
 * @param until - when what the token rests on ends, in epoch seconds: it ends no later
 */
export function lifetimeClaims(now: Date, lifetimeSeconds: number, until = Infinity): LifetimeClaims {
  const iat = inSeconds(now);
  return { iat, exp: iat + shortened(now, lifetimeSeconds, until) };
}

/** A lifetime in whole seconds, at most until what it rests on ends; never negative. */
export function shortened(now: Date, lifetimeSeconds: number, until: number): number {
  return Math.max(Math.min(lifetimeSeconds, Math.floor(until) - inSeconds(now)), 0);
}

/** What happened at the company's sign-in, as far as its provider says. A time is never made up. */
export function authenticationClaims({ authTime, amr }: Pick<Grant, "authTime" | "amr">): {
  auth_time?: number;
  amr?: readonly string[];
} {
  return {
    ...(authTime !== null && { auth_time: inSeconds(authTime) }),
    ...(amr.length > 0 && { amr }),
  };
}
