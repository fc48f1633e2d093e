import { effectiveScopes, type Permissions, undecidedScopes } from "../../permissions/effective-scopes.js";
import type { Connector } from "../../store/connectors.js";

/** The scopes of this installation that a person lacks to use a connector, whatever a directory that is away will say. */
export function missingPermissions(
  { requiredScopes }: Pick<Connector, "requiredScopes">,
  permissions: Permissions,
): readonly string[] {
  const held = effectiveScopes(permissions);
  const open = undecidedScopes(permissions);
  return requiredScopes.filter((scope) => !held.has(scope) && !open.has(scope));
}

/** Whether only a directory that is away can say if a person may use a connector. */
export function isUndecided(connector: Pick<Connector, "requiredScopes">, permissions: Permissions): boolean {
  const open = undecidedScopes(permissions);
  return (
    missingPermissions(connector, permissions).length === 0 &&
    connector.requiredScopes.some((scope) => open.has(scope))
  );
}

/** What is asked for at the third party: what a person chose of the offered scopes, and what cannot be left out. */
export function chooseScopes(
  { scopes }: Pick<Connector, "scopes">,
  isChosen: (scope: string) => boolean,
): readonly string[] {
  return scopes.flatMap(({ scope, required }) => (required || isChosen(scope) ? [scope] : []));
}

/** What is asked for when nobody has chosen. */
export function defaultScopes(connector: Pick<Connector, "scopes">): readonly string[] {
  const byDefault = new Set(
    connector.scopes.flatMap((offered) => (offered.byDefault ? [offered.scope] : [])),
  );
  return chooseScopes(connector, (scope) => byDefault.has(scope));
}
