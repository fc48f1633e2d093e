import { randomBytes, randomUUID } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type Es256KeyPair, generateEs256KeyPair } from "@authz/dpop";
import { ReadableError } from "../readable-error.js";

interface SigningKey extends Es256KeyPair {
  readonly kid: string;
}

/** Everything the parts of the system have to know of each other, and that has to survive a restart. */
export interface DevelopmentSecrets {
  readonly postgresPassword: string;
  readonly databasePassword: string;
  readonly idpClientSecret: string;
  /** Of the application `agent` at the identity provider, which goes on from there without a browser. */
  readonly agentClientSecret: string;
  readonly sessionSecret: string;
  readonly setupToken: string;
  readonly credentialEncryptionKey: string;
  readonly connectorKek: string;
  readonly serverSigningKey: SigningKey;
}

/**
 * The secrets of this installation: generated at the first start, then read from a file that only its owner can read.
 *
 * @param others - names of further secrets, of programs that run beside the system
 * @throws {ReadableError} The file is gone or broken while the database that needs it still exists.
 */
export async function loadSecrets<Name extends string = never>(
  stateDirectory: string,
  others: readonly Name[] = [],
): Promise<DevelopmentSecrets & Readonly<Record<Name, string>>> {
  const file = join(stateDirectory, "secrets.json");
  if (existsSync(file)) {
    try {
      return await completeSecrets(file, others);
    } catch (error) {
      throw new ReadableError(`${file} cannot be read.\n${startOver(stateDirectory)}`, { cause: error });
    }
  }
  if (existsSync(join(stateDirectory, "postgres"))) {
    throw new ReadableError(
      `${file} is missing, and the database next to it needs it.\n${startOver(stateDirectory)}`,
    );
  }
  const secrets = await generateSecrets(others);
  writePrivately(file, secrets);
  return secrets;
}

/** The file with one service's own signing key, generated at the first start. */
export async function signingKeyFile(stateDirectory: string, name: string): Promise<string> {
  const file = join(stateDirectory, "keys", `${name}.json`);
  if (!existsSync(file)) {
    writePrivately(file, await generateSigningKey());
  }
  return file;
}

/** Reads the file. Secrets that an older version did not generate are added, so that its data stays usable. */
async function completeSecrets<Name extends string>(
  file: string,
  others: readonly Name[],
): Promise<DevelopmentSecrets & Readonly<Record<Name, string>>> {
  const known = JSON.parse(readFileSync(file, "utf8")) as Partial<DevelopmentSecrets>;
  const secrets = { ...(await generateSecrets(others)), ...known };
  if (Object.keys(known).length < Object.keys(secrets).length) {
    // A process that ended between these lines has left one behind.
    rmSync(`${file}.new`, { force: true });
    writePrivately(`${file}.new`, secrets);
    renameSync(`${file}.new`, file);
  }
  return secrets;
}

function writePrivately(file: string, content: object): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  writeFileSync(file, `${JSON.stringify(content, undefined, 2)}\n`, { mode: 0o600, flag: "wx" });
}

function startOver(stateDirectory: string): string {
  return `Start over with an empty system: rm -rf ${stateDirectory}`;
}

async function generateSecrets<Name extends string>(
  others: readonly Name[],
): Promise<DevelopmentSecrets & Readonly<Record<Name, string>>> {
  const further = Object.fromEntries(others.map((name) => [name, random("base64url")]));
  return {
    ...(further as Record<Name, string>),
    postgresPassword: random("base64url"),
    databasePassword: random("base64url"),
    idpClientSecret: random("base64url"),
    agentClientSecret: random("base64url"),
    sessionSecret: random("base64url"),
    setupToken: random("base64url"),
    credentialEncryptionKey: random("base64"),
    connectorKek: random("base64"),
    serverSigningKey: await generateSigningKey(),
  };
}

async function generateSigningKey(): Promise<SigningKey> {
  return { kid: randomUUID(), ...(await generateEs256KeyPair()) };
}

function random(encoding: "base64" | "base64url"): string {
  return randomBytes(32).toString(encoding);
}
