import type { WantedIdentityProvider } from "../identity-provider.js";

/** A provider that need not be stored. Without a key it is the first one, and has the plain callback. */
export type ProbedProvider = Omit<WantedIdentityProvider, "key" | "enabled"> & {
  readonly key?: string | undefined;
  readonly clientSecret: string | null;
};
