import type { Clock } from "@authz/dpop";
import type { IssuerKeys } from "./discovery/issuer-keys.js";
import type { SigningKeys } from "./keys/signing-keys.js";

const signingCheckMilliseconds = 60_000;

/** What has to work before the service can. */
export interface ReadinessOptions {
  readonly issuerKeys: IssuerKeys;
  readonly signingKeys: SigningKeys;
  readonly clock: Clock;
}

/** Creates the check. A signature that worked is good for a minute, so that probes do not wear out a key service. */
export function createReadiness({ issuerKeys, signingKeys, clock }: ReadinessOptions): () => Promise<void> {
  let signedAt = Number.NEGATIVE_INFINITY;
  return async () => {
    await issuerKeys.load();
    if (clock() - signedAt < signingCheckMilliseconds) return;
    await signingKeys.sign("test+jwt", {});
    signedAt = clock();
  };
}
