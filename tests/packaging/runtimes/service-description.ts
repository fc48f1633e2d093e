import type { AuthzOptions } from "@authz/verify";

/** The application of the contract tests for another process: what can be written as JSON, and where the rest is. */
export interface ServiceDescription {
  /** Where the process of the tests answers for the issuer and the replay store, and hears of entered handlers. */
  readonly bridge: string;
  readonly issuer: string;
  /** Without its functions. */
  readonly options: AuthzOptions;
  readonly bodyParsers: boolean;
  readonly guardEverything: boolean;
}
