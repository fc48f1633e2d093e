import { hkdfSync } from "node:crypto";
import type { Config } from "../../config/config.js";
import type { Store } from "../../store/store.js";

/** Variables that all processes of an installation must share. The encryption key is checked by what it seals. */
export const checkedVariables = ["AUTHZ_ISSUER", "AUTH_SESSION_SECRET"] as const;

export type CheckedVariable = (typeof checkedVariables)[number];

/** The value to compare, by variable. */
export type OwnChecks = Readonly<Record<CheckedVariable, string>>;

/** This process has another value than the installation. `message` names the variables and what to do. */
export class SecretMismatchError extends Error {
  override readonly name = "SecretMismatchError";
  readonly variables: readonly CheckedVariable[];
  constructor(variables: readonly CheckedVariable[]) {
    super(variables.map(describe).join("\n"));
    this.variables = variables;
  }
}

function describe(variable: CheckedVariable): string {
  return (
    `${variable} is not the one that the other servers on this database have. Nothing was changed. Start with their ` +
    `value. If you replaced it on purpose, stop all servers and run: authz-server accept ${variable}`
  );
}

/** The values of this process. They reveal no secret. */
export function ownChecks({ issuer, sessionSecret }: Pick<Config, "issuer" | "sessionSecret">): OwnChecks {
  const derived = hkdfSync("sha256", sessionSecret, "", "authz check of AUTH_SESSION_SECRET", 32);
  return { AUTHZ_ISSUER: issuer, AUTH_SESSION_SECRET: Buffer.from(derived).toString("hex") };
}

type CheckSource = { readonly secretChecks: Store["secretChecks"] };

/**
 * Compares the stored values with those of this process, and changes nothing.
 *
 * @param except - a variable that is about to be replaced
 * @returns the variables with a stored value
 * @throws {SecretMismatchError}
 */
export async function compareChecks(
  store: { readonly secretChecks: Pick<Store["secretChecks"], "read"> },
  own: OwnChecks,
  except?: CheckedVariable,
): Promise<ReadonlySet<string>> {
  const stored = await store.secretChecks.read();
  const different = checkedVariables.filter((variable) => {
    const value = stored.get(variable);
    return variable !== except && value !== undefined && value !== own[variable];
  });
  if (different.length > 0) throw new SecretMismatchError(different);
  return new Set(stored.keys());
}

/**
 * Stores missing values at the first start. Of processes that start together with different values one continues.
 *
 * @throws {SecretMismatchError}
 */
export async function storeChecks(store: CheckSource, own: OwnChecks): Promise<void> {
  const stored = await compareChecks(store, own);
  const missing = checkedVariables.filter((variable) => !stored.has(variable));
  if (missing.length === 0) return;
  await store.secretChecks.insertMissing(missing.map((variable) => ({ variable, value: own[variable] })));
  await compareChecks(store, own);
}
