import type { Explanation } from "@admin/explain";

/** The scope that lets somebody give themselves every other one. */
const administration = "authz:administer";

/**
 * What an assignment would give of everything that is missing, the command line included.
 *
 * The right to administer is left to its own line: whoever mends many things at once should not hand it out unawares.
 */
export function findGivable({ missing, login }: Pick<Explanation, "missing" | "login">): readonly string[] {
  const scopes = [...missing, ...login.missing].flatMap(({ remedies }) =>
    remedies.flatMap((remedy) => (remedy.type === "assign" ? remedy.scope : [])),
  );
  return [...new Set(scopes)].filter((scope) => scope !== administration);
}
