import type { ServerContext } from "../context.js";
import type { BrowserCookies } from "../login/browser-cookies.js";
import type { Upstream } from "../login/upstream.js";

/** What the OAuth endpoints and pages share. */
export interface OauthContext
  extends Pick<
    ServerContext,
    | "config"
    | "store"
    | "keys"
    | "directories"
    | "credentials"
    | "outboundFetch"
    | "proofVerifier"
    | "rateLimiter"
    | "refusals"
    | "connectorVault"
    | "connectorProvider"
    | "clock"
    | "log"
  > {
  readonly issuer: string;
  readonly upstream: Upstream;
  readonly cookies: BrowserCookies;
  now(): Date;
}
