import { readFile } from "node:fs/promises";
import type { Clock } from "@authz/dpop";
import type { ConnectorKeyConfig, KeyVariableProblem } from "../../config/connector-keys.js";
import type { EnvelopeVault } from "../../platform/vault/envelope.js";
import { createEnvelopeVault } from "../../platform/vault/envelope-vault.js";
import { createEnvironmentKeys } from "../../platform/vault/environment-keys.js";
import { ConnectorKeyError, type KeyEncryption } from "../../platform/vault/key-ring.js";
import { createTransitKeys } from "../../platform/vault/transit-keys.js";

/**
 * Opens the keys that the configuration names. One place seals; the keys of the other still open. Nothing is asked before
 * the first use, and nothing that is wrong throws before it.
 */
export function createConnectorVault(
  config: ConnectorKeyConfig,
  { clock }: { readonly clock: Clock },
): EnvelopeVault {
  const { environment, transit, sealedBy, activeProblems, otherProblems } = config;
  const hasEnvironment = environment.active !== undefined || environment.previous.length > 0;
  const own = hasEnvironment ? createEnvironmentKeys(environment) : undefined;
  const remote =
    transit && createTransitKeys(transit, { clock, readToken: (path) => readFile(path, "utf8") });
  const places = [remote, own].filter((place) => place !== undefined);
  return createEnvelopeVault({
    active: chooseActive(sealedBy === "transit" ? remote : environment.active && own, activeProblems),
    places,
    problem: describe([...activeProblems, ...otherProblems]),
  });
}

function chooseActive(
  place: KeyEncryption | undefined,
  problems: readonly KeyVariableProblem[],
): KeyEncryption | ConnectorKeyError {
  const problem = describe(problems);
  if (problem !== undefined) return new ConnectorKeyError("malformed", problem);
  if (place !== undefined) return place;
  const message =
    "Connectors need a key: AUTHZ_CONNECTOR_KEK is not set. Generate one with authz-server secrets, set it, and start the server again.";
  return new ConnectorKeyError("not_configured", message);
}

function describe(problems: readonly KeyVariableProblem[]): string | undefined {
  if (problems.length === 0) return undefined;
  return problems.map(({ variable, problem }) => `${variable} cannot be used: ${problem}.`).join(" ");
}
