import type { WantedIdentityProvider } from "../registry/identity-provider.js";

/** What a set-up decides: who administers, where people sign in, and what the installation is called. */
export interface Installation {
  readonly installationName: string;
  /** Lower case. */
  readonly administratorEmail: string;
  readonly provider: InstallationProvider;
}

/** The OpenID provider of a set-up. Its client secret is in the clear, so this is never stored or logged as it is. */
interface InstallationProvider extends Omit<WantedIdentityProvider, "key" | "enabled"> {
  /** Derived from the name when nobody chose one. */
  readonly key: string | undefined;
  /** What the button says that leads there; `null`: the name. */
  readonly buttonLabel: string | null;
  readonly clientSecret: string | null;
}
