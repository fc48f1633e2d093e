import { readFile } from "node:fs/promises";
import type { Clock } from "@authz/dpop";
import type { ConnectorKeyConfig, KeyVariableProblem } from "../config/connector-keys.js";
import { createEnvironmentKeys } from "../platform/vault/environment-keys.js";
import { type KeyEncryption, VaultError } from "../platform/vault/key-ring.js";
import { createTransitKeys } from "../platform/vault/transit-keys.js";
import { createVault, type Vault } from "../platform/vault/vault.js";

/**
 * The vault of the installation's own secrets, under `AUTHZ_CREDENTIAL_ENCRYPTION_KEY`.
 *
 * @param previous - keys that were replaced; they only open
 */
export function createCredentialVault(active: Buffer, previous: readonly Buffer[] = []): Vault {
  const variable = "AUTHZ_CREDENTIAL_ENCRYPTION_KEY";
  const keys = createEnvironmentKeys({ active, previous }, variable);
  return createVault({ variable, active: keys, places: [keys] });
}

/**
 * The vault of connectors, with the configured keys. One source of keys seals; those of the other still open.
 * No request is sent before the first use, and a wrong setting throws only then.
 */
export function createConnectorVault(
  config: ConnectorKeyConfig,
  { clock }: { readonly clock: Clock },
): Vault {
  const { environment, transit, sealedBy, activeProblems, otherProblems } = config;
  const variable = "AUTHZ_CONNECTOR_KEK";
  const hasEnvironment = environment.active !== undefined || environment.previous.length > 0;
  const own = hasEnvironment ? createEnvironmentKeys(environment, variable) : undefined;
  const remote =
    transit && createTransitKeys(transit, { clock, readToken: (path) => readFile(path, "utf8") });
  return createVault({
    variable,
    active: chooseActive(sealedBy === "transit" ? remote : environment.active && own, activeProblems),
    places: [remote, own].filter((place) => place !== undefined),
    problem: describe([...activeProblems, ...otherProblems]),
  });
}

function chooseActive(
  place: KeyEncryption | undefined,
  problems: readonly KeyVariableProblem[],
): KeyEncryption | VaultError {
  const problem = describe(problems);
  if (problem !== undefined) return new VaultError("malformed", problem);
  if (place !== undefined) return place;
  const message =
    "Connectors need a key: AUTHZ_CONNECTOR_KEK is not set. Generate one with authz-server secrets, set it, and start the server again.";
  return new VaultError("not_configured", message);
}

function describe(problems: readonly KeyVariableProblem[]): string | undefined {
  if (problems.length === 0) return undefined;
  return problems.map(({ variable, problem }) => `${variable} cannot be used: ${problem}.`).join(" ");
}
