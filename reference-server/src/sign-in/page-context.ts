import type { Clock } from "@authz/dpop";
import type { Logger } from "pino";
import type { Refusals } from "../audit/refusals.js";
import type { Config } from "../config/config.js";
import type { GroupDirectories } from "../permissions/groups/directories.js";
import type { OutboundFetch } from "../platform/outbound/outbound-fetch.js";
import type { RateLimiter } from "../platform/rate-limits/rate-limiter.js";
import type { Vault } from "../platform/vault/vault.js";
import type { OpenStore } from "../store/store.js";
import { type BrowserCookies, createBrowserCookies } from "./browser.js";
import { createRelyingParty, type RelyingParty } from "./relying-party.js";

/** The dependencies of all pages that know their user. */
export interface PageSources {
  readonly config: Config;
  readonly store: OpenStore;
  readonly directories: GroupDirectories;
  readonly credentials: Vault;
  readonly outboundFetch: OutboundFetch;
  readonly rateLimiter: Pick<RateLimiter, "take" | "takeOwn">;
  readonly refusals: Pick<Refusals, "from">;
  readonly clock: Clock;
  readonly clockDifferenceSeconds: () => number;
  readonly log: Logger;
}

/** The context of the pages for sign-in, consent, set-up and a user's own account. */
export interface PageContext extends PageSources {
  readonly issuer: string;
  readonly relyingParty: RelyingParty;
  readonly cookies: BrowserCookies;
  now(): Date;
}

/** Adds the context of the pages to its sources. */
export function createPageContext<T extends PageSources>(sources: T): T & PageContext {
  const { config, store, clock } = sources;
  const { issuer, allowInsecureLoopback } = config;
  const now = () => new Date(clock());
  return {
    ...sources,
    issuer,
    now,
    cookies: createBrowserCookies({ https: issuer.startsWith("https:"), store, now }),
    relyingParty: createRelyingParty({ ...sources, issuer, allowInsecureLoopback }),
  };
}
