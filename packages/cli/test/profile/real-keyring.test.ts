import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import {
  hasSecretService,
  type SecretService,
  startSecretService,
} from "../../../../tools/src/testing/secret-service.js";
import { type CliWorld, type CommandResult, startCliWorld, visitAddress } from "../support/cli-world.js";
import { buildCli, runAuthz } from "../support/process.js";

describe.skipIf(!hasSecretService)("with the real keyring of a Linux desktop", () => {
  let world: CliWorld;
  let keyring: SecretService;
  let env: Record<string, string>;
  beforeAll(async () => {
    buildCli();
    world = await startCliWorld();
    keyring = await startSecretService(world.home, async (found) => {
      const { stdout } = await runAuthz(["doctor"], { env: { ...world.env, ...found } });
      return stdout.includes("The keyring works.");
    });
    env = { ...world.env, ...keyring.env };
    return async () => {
      await keyring.stop();
      await world.close();
    };
  });
  const run = async (...args: string[]): Promise<CommandResult> => await runAuthz(args, { env });

  it("keeps the session there and in no file, without being told to", async () => {
    const login = await runAuthz(["login", "--no-browser", "--json", "--issuer", world.server.origin], {
      env,
      onOutput: visitAddress(),
    });
    expect([login.code, JSON.parse(login.stdout)]).toMatchObject([0, { store: "keyring" }]);
    expect(await readdir(join(world.home, "state", "authz")).catch(() => [])).not.toContain("session.json");
    const answer = await run("request", "--scope", "contracts:read", world.api);
    expect([answer.code, JSON.parse(answer.stdout)]).toMatchObject([0, { path: "/api/contracts" }]);
  });

  it("is what the doctor finds", async () => {
    expect((await run("doctor")).stdout).toContain("✓ store         The keyring works.");
  });

  it("shares one renewal among twenty commands", async () => {
    for (const grant of world.server.grants) grant.accessTokens.clear();
    const isRefresh = ({ form }: { form: URLSearchParams }): boolean =>
      form.get("grant_type") === "refresh_token";
    const before = world.server.seen.filter(isRefresh).length;
    const results = await Promise.all(Array.from({ length: 20 }, async () => await run("whoami", "--json")));
    expect(results.map(({ code, stderr }) => `${String(code)}${stderr}`)).toEqual(results.map(() => "0"));
    expect(world.server.seen.filter(isRefresh).length - before).toBe(1);
  });

  it("is recommended when the session is in a file", async () => {
    const { stdout } = await runAuthz(["doctor", "--profile", "none"], {
      env: { ...env, AUTHZ_TOKEN_STORE: "file" },
    });
    expect(stdout).toContain("AUTHZ_TOKEN_STORE=keyring authz login");
  });

  it("forgets the session at log-out", async () => {
    expect(JSON.parse((await run("logout", "--json")).stdout)).toEqual({ signedOut: true, revoked: true });
    expect((await run("whoami")).code).toBe(3);
  });

  it("stops a sign-in before the browser opens when it has gone", async () => {
    await keyring.stopKeyring();
    const before = world.server.seen.length;
    const login = await run(
      "login",
      "--no-browser",
      "--json",
      "--profile",
      "gone",
      "--issuer",
      world.server.origin,
    );
    expect([login.code, JSON.parse(login.stderr)]).toMatchObject([1, { code: "keyring_unavailable" }]);
    expect(world.server.seen.length).toBe(before);
    const doctor = await run("doctor");
    expect([doctor.code, doctor.stdout]).toMatchObject([
      1,
      expect.stringContaining("The keyring does not work"),
    ]);
  });
});
