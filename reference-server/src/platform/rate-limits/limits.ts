/**
 * The limits, in requests per minute. Far above what an honest installation needs, thousands of people behind one
 * address included: they stop a broken loop or a flood, not a busy morning.
 *
 * Clients are counted after authentication: a public client as client and key, so one device, or without a key as client and person,
 * and only with a valid code or token. A `client_id` is no secret: with a count per id, one caller could lock out all others.
 */
export const defaultRateLimits = {
  /** Authorization requests, sign-in, consent. */
  "sign-in.address": 3_000,
  /** Token, revocation. */
  "token.address": 6_000,
  "token.client": 1_200,
  /** Starting a sign-in on a device. */
  "device.address": 600,
  /** Typing a device's user code: short, so it could be guessed. */
  "user-code.address": 120,
  "user-code.person": 10,
  /** Reading skills, and the start page that lists them. Room for an agent that takes every skill there is. */
  "skills.person": 1_200,
  /** What an app does for one person at the address for agents. Room for several agents of one host at work. */
  "agents.grant": 600,
  /** Asking administrators for permissions. */
  "ask.person": 20,
  /** Beginning to connect an account at a third party. */
  "connect.person": 30,
  /** Logout tokens and security events of providers. A transmitter that is refused for a while sends again. */
  "signals.address": 6_000,
  /** Clients that register themselves. */
  "registration.address": 30,
  /** Showing the set-up token. */
  "set-up.address": 60,
  /** Calls of SCIM, before their credential is read. */
  "scim.address": 6_000,
  /** Calls of SCIM of one provider. Entra ID wants 1,500. */
  "scim.provider": 3_000,
  /** The administration API: one browser session, or one machine client. Far more than a person clicks. */
  "admin.caller": 3_000,
} as const;

export type RateLimitName = keyof typeof defaultRateLimits;

/**
 * Limits with a number of their own: a connector has one for each person, and metadata documents are fetched no more often than is
 * useful. `AUTHZ_RATE_LIMITS` does not change them.
 */
export const ownLimitNames = [
  "connector.person",
  "service.person",
  "client-document.address",
  "client-document.host",
  "client-document.known",
] as const;

export type OwnLimitName = (typeof ownLimitNames)[number];

/** Requests per minute for each limit; `undefined` switches all of them off. */
export type RateLimits = Readonly<Record<RateLimitName, number>> | undefined;

export const rateLimitNames = Object.keys(defaultRateLimits) as RateLimitName[];

/** Limits against guessing are exact from the first request on; the others are counted locally at first. */
export const exactLimits: ReadonlySet<RateLimitName | OwnLimitName> = new Set([
  "user-code.address",
  "user-code.person",
  "set-up.address",
]);

/** @throws Error when the text is neither `off` nor a list such as `token.address=60000,token.client=600`. */
export function parseRateLimits(text: string): RateLimits {
  if (text === "off") return undefined;
  const limits: Record<RateLimitName, number> = { ...defaultRateLimits };
  for (const [index, item] of text.split(",").entries()) {
    const [, name, digits] = /^([a-z-]+\.[a-z]+)=(\d{1,9})$/.exec(item.trim()) ?? [];
    const known = rateLimitNames.find((candidate) => candidate === name);
    if (known === undefined || Number(digits) < 1) throw new Error(`item ${index + 1} is not a limit`);
    limits[known] = Number(digits);
  }
  return Object.freeze(limits);
}
