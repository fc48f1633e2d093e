import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { loadSecrets, signingKeyFile } from "../../src/system/secrets.js";

describe("the secrets of the development system", () => {
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "authz-secrets-"));
  });

  afterEach(() => {
    rmSync(folder, { recursive: true });
  });

  test("are generated once, for their owner only, in the formats the server wants", async () => {
    const secrets = await loadSecrets(folder);
    expect(await loadSecrets(folder)).toEqual(secrets);
    expect(statSync(join(folder, "secrets.json")).mode & 0o777).toBe(0o600);
    expect(Buffer.from(secrets.sessionSecret, "base64url")).toHaveLength(32);
    expect(Buffer.from(secrets.credentialEncryptionKey, "base64")).toHaveLength(32);
    expect(secrets.serverSigningKey.kid).toMatch(/^[0-9a-f-]{36}$/);
  });

  test("include one signing key per service, in a file of its own", async () => {
    const file = await signingKeyFile(folder, "contracts-koa");
    const key = readFileSync(file, "utf8");
    expect(await signingKeyFile(folder, "contracts-koa")).toBe(file);
    expect(readFileSync(file, "utf8")).toBe(key);
    expect(Object.keys(JSON.parse(key) as object).sort()).toEqual(["kid", "privateJwk", "publicJwk"]);
  });

  test("are not replaced while a database exists that needs the old ones", async () => {
    mkdirSync(join(folder, "postgres"));
    await expect(loadSecrets(folder)).rejects.toThrow(/is missing[^]*rm -rf/);
  });

  test("that an older version did not have are added, and the others stay", async () => {
    const older = await loadSecrets(folder);
    const names = ["notesClientSecret"] as const;
    const secrets = await loadSecrets(folder, names);
    expect(secrets).toMatchObject(older);
    expect(secrets.notesClientSecret).toHaveLength(43);
    expect(await loadSecrets(folder, names)).toEqual(secrets);
    expect(statSync(join(folder, "secrets.json")).mode & 0o777).toBe(0o600);
  });

  test("are added beside what a start left behind that was ended while it added some", async () => {
    const older = await loadSecrets(folder);
    writeFileSync(join(folder, "secrets.json.new"), '{ "postgresPass');
    const secrets = await loadSecrets(folder, ["notesClientSecret"]);
    expect(secrets).toMatchObject(older);
    expect(JSON.parse(readFileSync(join(folder, "secrets.json"), "utf8"))).toEqual(secrets);
    expect(existsSync(join(folder, "secrets.json.new"))).toBe(false);
  });

  test("that cannot be read are reported with the way out", async () => {
    writeFileSync(join(folder, "secrets.json"), "{");
    await expect(loadSecrets(folder)).rejects.toThrow(/cannot be read[^]*rm -rf/);
  });
});
