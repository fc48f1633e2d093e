import { DpopError, type VerifiedProof } from "@authz/dpop";
import type { OnceRecord } from "../../store/redemptions.js";
import type { Store } from "../../store/store.js";
import { replayRecord } from "../tokens/consume-proof.js";
import { fromDpopError } from "../../protocol/from-dpop-error.js";
import { replayedAssertion } from "./authenticate.js";

/** What a request brought that is accepted once. */
export interface BroughtOnce {
  readonly proof: VerifiedProof | undefined;
  readonly assertionUse: OnceRecord | undefined;
}

/** How the database remembers it. */
export function onceRecords({ proof, assertionUse }: BroughtOnce): readonly OnceRecord[] {
  const records = proof === undefined ? [] : [replayRecord(proof)];
  return assertionUse === undefined ? records : [...records, assertionUse];
}

/** The refusal of a request that brought the record with this key a second time. */
export function replayedError(key: string, { assertionUse }: BroughtOnce): unknown {
  return key === assertionUse?.key ? replayedAssertion() : fromDpopError(new DpopError("replayed"));
}

/**
 * Uses up what a request brought, in the transaction of what it authorises: when that is rolled back, it is unused.
 *
 * @throws {OAuthError} `invalid_dpop_proof` or `invalid_client`: it was used before.
 */
export async function useUp(store: Pick<Store, "dpopReplays">, brought: BroughtOnce): Promise<void> {
  for (const record of onceRecords(brought)) {
    // oxlint-disable-next-line no-await-in-loop -- two at most, on one connection
    if (!(await store.dpopReplays.consume(record))) throw replayedError(record.key, brought);
  }
}
