import type { Explanation } from "@admin/explain";

/** The scope whose holders can give themselves all others. */
const administration = "authz:administer";

/**
 * The missing scopes that an assignment would give, including those for the command line.
 *
 * The scope for administration is excluded, so that it is never given in bulk by accident; its own line offers it.
 */
export function findGivable({ missing, login }: Pick<Explanation, "missing" | "login">): readonly string[] {
  const scopes = [...missing, ...login.missing].flatMap(({ remedies }) =>
    remedies.flatMap((remedy) => (remedy.type === "assign" ? remedy.scope : [])),
  );
  return [...new Set(scopes)].filter((scope) => scope !== administration);
}
