import type { KindQuirks } from "./kind.js";

/** Scopes that no answer need name: what came along with the access token shows them. */
export interface GrantEvidence {
  readonly refreshToken: boolean;
  readonly idToken: boolean;
}

/**
 * Returns those of the wanted scopes that a third party has granted, in their own spelling.
 *
 * @param listed - the scopes that the answer names; `undefined` when it names none, which means all (RFC 6749 §5.1)
 */
export function coveredScopes(
  wanted: readonly string[],
  listed: readonly string[] | undefined,
  { quirks, evidence }: { readonly quirks: KindQuirks; readonly evidence: GrantEvidence },
): readonly string[] {
  if (listed === undefined) return wanted;
  const granted: ReadonlySet<string> = new Set(listed);
  return wanted.filter((scope) => {
    if (granted.has(scope) || quirks.implies?.(granted, scope) === true) return true;
    if (scope === "offline_access") return evidence.refreshToken;
    return scope === "openid" && evidence.idToken;
  });
}
