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

/** What every page needs that knows who sits in front of the browser. */
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

/** What the pages share: to sign in, to allow, to set up, and a person's own account. */
export interface PageContext extends PageSources {
  readonly issuer: string;
  readonly relyingParty: RelyingParty;
  readonly cookies: BrowserCookies;
  now(): Date;
}

/** Adds what the pages share to what there is already. */
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
