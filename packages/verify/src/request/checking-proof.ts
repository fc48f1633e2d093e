import { DpopError } from "@authz/dpop";
import { AuthzError } from "../errors.js";
import { findOriginMismatch } from "../mismatch.js";

/**
 * Runs the check of a proof. When it was made for another origin, the refusal says for which: then `publicOrigin` is not the address at which
 * callers reach the service.
 *
 * @throws {AuthzError | DpopError}
 */
export function checkingProof<T>(
  { proof, publicOrigin }: { readonly proof: string; readonly publicOrigin: string },
  check: (proof: string) => T,
): T {
  try {
    return check(proof);
  } catch (error) {
    if (!(error instanceof DpopError) || error.reason !== "wrong_url") throw error;
    const cause = findOriginMismatch(proof, publicOrigin);
    if (cause === undefined) throw error;
    throw new AuthzError(error.code, `dpop_${error.reason}`, { cause });
  }
}
