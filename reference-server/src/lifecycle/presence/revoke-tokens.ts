import type { Logger } from "pino";
import { createLoop, logFailures, type Loop } from "../../platform/jobs/loop.js";
import { VaultError } from "../../platform/vault/key-ring.js";
import { presenceRow } from "../../platform/vault/rows.js";
import type { Vault } from "../../platform/vault/vault.js";
import type { RelyingParty } from "../../sign-in/relying-party.js";
import type { EndingToken } from "../../store/presences.js";
import type { Store } from "../../store/store.js";

interface RevocationOptions {
  readonly store: Store;
  readonly credentials: Vault;
  readonly relyingParty: Pick<RelyingParty, "revoke">;
  readonly log: Logger;
}

const atOnce = 20;

/**
 * Creates the loop that revokes the refresh tokens of people who have ended, and of providers that are no longer asked (RFC 7009). Best
 * effort: they are forgotten here first, so that none is used or revoked twice.
 */
export function createRevocationLoop(options: RevocationOptions): Loop {
  const { store, log } = options;
  return createLoop({
    everySeconds: 10,
    async work(signal) {
      let tokens: readonly EndingToken[];
      do {
        tokens = await store.presences.takeEnding(atOnce);
        const revoked = await Promise.all(tokens.map(async (token) => await revoke(token, options)));
        const left = revoked.filter((done) => !done).length;
        if (left > 0)
          log.warn(
            { code: "REFRESH_TOKENS_NOT_REVOKED", count: left },
            `${left} refresh tokens were forgotten here, and the provider has not confirmed their end.`,
          );
      } while (tokens.length === atOnce && !signal.aborted);
    },
    onError: logFailures(log, {
      code: "REFRESH_TOKENS_NOT_TAKEN",
      message: "The refresh tokens to revoke could not be read; trying again.",
    }),
  });
}

async function revoke(
  token: EndingToken,
  { store, credentials, relyingParty }: RevocationOptions,
): Promise<boolean> {
  const provider = await store.identityProviders.find(token.providerId);
  if (provider === undefined) return false;
  try {
    const refreshToken = await credentials.open(token.refreshToken, presenceRow(token));
    return await relyingParty.revoke(provider, refreshToken);
  } catch (error) {
    if (error instanceof VaultError) return false;
    throw error;
  }
}
