import { DpopError } from "@authz/dpop";
import { AuthzError } from "../errors.js";
import { findOriginMismatch } from "../mismatch.js";

/**
 * Explains the refusal of a proof. If it was made for another origin, the result says for which: then `publicOrigin` is not the address
 * at which callers reach the service. Any other error comes back unchanged.
 */
export function explainWrongUrl(error: unknown, proof: string, publicOrigin: string): unknown {
  if (!(error instanceof DpopError) || error.reason !== "wrong_url") return error;
  const cause = findOriginMismatch(proof, publicOrigin);
  return cause === undefined ? error : new AuthzError(error.code, `dpop_${error.reason}`, { cause });
}
