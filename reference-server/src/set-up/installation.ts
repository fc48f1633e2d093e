import type { TokenEndpointAuthMethod } from "../store/identity-providers.js";

/** What a set-up decides: who administers, where people sign in, and what the installation is called. */
export interface Installation {
  readonly installationName: string;
  /** Lower case. */
  readonly administratorEmail: string;
  readonly provider: InstallationProvider;
}

/** The OpenID provider of a set-up. Its client secret is in the clear, so this is never stored or logged as it is. */
export interface InstallationProvider {
  /** Derived from the name when nobody chose one. */
  readonly key: string | undefined;
  readonly name: string;
  /** What the button says that leads there; `null`: the name. */
  readonly buttonLabel: string | null;
  readonly issuer: string;
  readonly discoveryUrl: string | null;
  readonly clientId: string;
  readonly clientSecret: string | null;
  readonly tokenEndpointAuthMethod: TokenEndpointAuthMethod | null;
  readonly scopes: readonly string[];
  readonly allowedEmailDomains: readonly string[];
}
