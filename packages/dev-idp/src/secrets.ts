import { generateKeyPair, randomBytes } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { promisify } from "node:util";
import type { JWK } from "oidc-provider";

/** What has to stay the same across restarts. */
export interface DevIdpSecrets {
  /** Signs ID tokens (RS256, what companies' providers use). */
  readonly signingKey: JWK;
  /** Signs the provider's cookies. */
  readonly cookieKey: string;
}

/** Generates new secrets, which takes a moment because of the RSA key. */
export async function generateSecrets(): Promise<DevIdpSecrets> {
  const { privateKey } = await promisify(generateKeyPair)("rsa", { modulusLength: 2048 });
  const signingKey = { ...privateKey.export({ format: "jwk" }), alg: "RS256", use: "sig" } as JWK;
  return { signingKey, cookieKey: randomBytes(32).toString("base64url") };
}

/** Secrets from a file that only its owner can read, written at the first call. */
export async function loadSecrets(file: string): Promise<DevIdpSecrets> {
  try {
    return JSON.parse(readFileSync(file, "utf8")) as DevIdpSecrets;
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ENOENT")) {
      throw new Error(`${file} cannot be read. Remove it to get a new one.`, { cause: error });
    }
  }
  const secrets = await generateSecrets();
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  writeFileSync(file, JSON.stringify(secrets), { mode: 0o600, flag: "wx" });
  return secrets;
}
