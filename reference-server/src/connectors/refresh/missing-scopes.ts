import type { Connector } from "../../store/connectors.js";

/** The scopes that a connector cannot do without, and that were not granted. */
export function missingScopes(
  { scopes }: Pick<Connector, "scopes">,
  granted: readonly string[],
): readonly string[] {
  return scopes.flatMap(({ scope, required }) => (required && !granted.includes(scope) ? [scope] : []));
}
