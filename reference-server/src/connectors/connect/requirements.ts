import { effectiveScopes, type Permissions, undecidedScopes } from "../../permissions/effective-scopes.js";
import type { Connector } from "../../store/connectors.js";

/** The scopes of this installation that a person certainly lacks to use a connector: no directory that is away could give them. */
export function missingPermissions(
  { requiredScopes }: Pick<Connector, "requiredScopes">,
  permissions: Permissions,
): readonly string[] {
  const held = effectiveScopes(permissions);
  const open = undecidedScopes(permissions);
  return requiredScopes.filter((scope) => !held.has(scope) && !open.has(scope));
}

/** Whether only a directory that is away can tell if a person may use a connector. */
export function isUndecided(connector: Pick<Connector, "requiredScopes">, permissions: Permissions): boolean {
  const open = undecidedScopes(permissions);
  return (
    missingPermissions(connector, permissions).length === 0 &&
    connector.requiredScopes.some((scope) => open.has(scope))
  );
}

/** The scopes to ask for at the third party: those that the person chose, and the required ones. */
export function chooseScopes(
  { scopes }: Pick<Connector, "scopes">,
  isChosen: (scope: string) => boolean,
): readonly string[] {
  return scopes.flatMap(({ scope, required }) => (required || isChosen(scope) ? [scope] : []));
}

/** The scopes to ask for without a choice. */
export function defaultScopes(connector: Pick<Connector, "scopes">): readonly string[] {
  const byDefault = new Set(
    connector.scopes.flatMap((offered) => (offered.byDefault ? [offered.scope] : [])),
  );
  return chooseScopes(connector, (scope) => byDefault.has(scope));
}
