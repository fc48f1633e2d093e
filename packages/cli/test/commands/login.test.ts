import { readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { forEachTest } from "../../../client/test/support/for-each-test.js";
import { startCliWorld, visitAddress } from "../support/cli-world.js";

const world = forEachTest(startCliWorld);

describe("authz login", () => {
  it("prints the address on a line of its own on stderr and one JSON object on stdout", async () => {
    const result = await world.login("--json");
    expect(result.code).toBe(0);
    const jkt = world.server.grants[0]?.jkt ?? "";
    expect(JSON.parse(result.stdout)).toEqual({
      subject: "user-ada",
      email: "ada@acme.example",
      name: "Ada Lovelace",
      issuer: world.server.origin,
      deviceCode: `${jkt.slice(0, 4)}-${jkt.slice(4, 8)}`,
      profile: "default",
      store: "file",
    });
    expect(result.stdout.trimEnd().split("\n").length).toBe(1);
    expect(result.stderr).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/api\/oauth\/authorize\?\S+$/m);
    expect(result.stderr).toContain(`${jkt.slice(0, 4)}-${jkt.slice(4, 8)}`);
  });

  it("says in words who signed in, warns about the file, and leaves stdout empty", async () => {
    const result = await world.login();
    expect(result.stdout).toBe("");
    expect(result.stderr).toContain("Signed in as Ada Lovelace <ada@acme.example>.");
    expect(result.stderr).toContain("kept in a file, not in a keyring");
    const file = join(world.home, "state", "authz", "session.json");
    expect(result.stderr).toContain(file);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
  });

  it("remembers the issuer and the store, so later commands need neither", async () => {
    await world.login();
    const config = await readFile(join(world.home, "config", "authz", "config.json"), "utf8");
    expect(JSON.parse(config)).toEqual({
      version: 1,
      profile: "default",
      profiles: { default: { issuer: world.server.origin, store: "file" } },
    });
    expect((await world.run(["whoami"])).code).toBe(0);
    const again = await world.run(["login", "--no-browser"], { onStderr: visitAddress() });
    expect([again.code, again.stderr.includes("kept in a file")]).toEqual([0, false]);
    expect(world.server.grants.map(({ revoked }) => revoked)).toEqual([true, false]);
  });

  it("keeps a session per profile", async () => {
    await world.login();
    await world.login("--profile", "work");
    expect(world.server.grants.map(({ revoked }) => revoked)).toEqual([false, false]);
    await world.run(["logout", "--profile", "work"]);
    expect((await world.run(["whoami"])).code).toBe(0);
    expect((await world.run(["whoami", "--profile", "work"])).code).toBe(3);
  });

  it("does not overwrite a session at another server", async () => {
    await world.login();
    const other = await startCliWorld();
    const result = await world.run(["login", "--no-browser", "--issuer", other.server.origin]);
    expect(result.code).toBe(2);
    expect(result.stderr).toContain(`You are signed in at ${world.server.origin}.`);
    await world.run(["logout"]);
    const allowed = await world.run(["login", "--no-browser", "--issuer", other.server.origin], {
      onStderr: visitAddress(),
    });
    expect(allowed.code).toBe(0);
    await other.close();
  });

  it("asks the keyring before the sign-in, and offers a clear choice without one", async () => {
    const result = await world.run(["login", "--no-browser", "--json", "--issuer", world.server.origin], {
      env: { DBUS_SESSION_BUS_ADDRESS: "unix:path=/nonexistent" },
    });
    expect(result.code).toBe(1);
    const error = JSON.parse(result.stderr) as { code: string; message: string; hint: string };
    expect(error.code).toBe("keyring_unavailable");
    expect(error.hint).toContain("AUTHZ_TOKEN_STORE=file authz login");
    expect(world.server.seen).toEqual([]);
  });

  it("tries the folders before the sign-in", async () => {
    const file = join(world.home, "file");
    await writeFile(file, "");
    const folder = join(file, "below");
    const { code, stderr } = await world.run(
      ["login", "--no-browser", "--json", "--issuer", world.server.origin],
      { env: { AUTHZ_TOKEN_STORE: "file", XDG_STATE_HOME: folder } },
    );
    expect([code, JSON.parse(stderr)]).toEqual([
      1,
      {
        code: "not_saved",
        message: `Nothing can be written to ${join(folder, "authz")}, so the session has no place yet. Nobody has signed in. A part of its path is a file and not a folder.`,
        hint: "Make it writable for you, or name other folders with XDG_CONFIG_HOME and XDG_STATE_HOME.",
      },
    ]);
    expect(world.server.seen).toEqual([]);
  });

  it("says in three lines why signing in was not allowed", async () => {
    world.server.denyNext = { error: "access_denied", error_description: "Ask Aisha for authz:login." };
    const result = await world.login();
    expect(result.code).toBe(4);
    expect(result.stderr.trimEnd().split("\n").slice(-3)).toEqual([
      "Signing in was not allowed.",
      'The server says: "Ask Aisha for authz:login."',
      'If you did not decline it, ask an administrator for the permission "authz:login".',
    ]);
    expect((await world.run(["whoami"])).code).toBe(3);
  });

  const misuse: { name: string; args: string[]; env?: Record<string, string>; words: string }[] = [
    { name: "without an address", args: ["login"], words: "Say where to sign in." },
    {
      name: "with plain http elsewhere",
      args: ["login", "--issuer", "http://a.example"],
      words: "https address",
    },
    { name: "with an unknown option", args: ["login", "--browser-name", "x"], words: "Unknown option" },
    {
      name: "with an unknown store",
      args: ["login", "--issuer", "https://a.example"],
      env: { AUTHZ_TOKEN_STORE: "cloud" },
      words: 'AUTHZ_TOKEN_STORE is "cloud"',
    },
    {
      name: "with a bad profile name",
      args: ["login", "--profile", "../x"],
      words: "is not a valid name for a profile",
    },
  ];
  for (const { name, args, env, words } of misuse) {
    it(`is a usage error ${name}`, async () => {
      const result = await world.run(args, { env: env ?? {} });
      expect([result.code, result.stdout]).toEqual([2, ""]);
      expect(result.stderr).toContain(words);
    });
  }

  it("is told the server's address by the environment", async () => {
    const result = await world.run(["login", "--no-browser"], {
      env: { AUTHZ_ISSUER: world.server.origin, AUTHZ_TOKEN_STORE: "file" },
      onStderr: visitAddress(),
    });
    expect(result.code).toBe(0);
  });

  it("says that the server cannot be reached", async () => {
    const result = await world.run(["login", "--no-browser", "--json", "--issuer", "http://127.0.0.1:1"], {
      env: { AUTHZ_TOKEN_STORE: "file" },
    });
    expect(result.code).toBe(5);
    expect(JSON.parse(result.stderr.trim().split("\n").at(-1) ?? "")).toMatchObject({ code: "unreachable" });
  });

  it("does not use a configuration that is damaged", async () => {
    await world.login();
    const path = join(world.home, "config", "authz", "config.json");
    for (const text of ["{", "[]", '{"version":2}', '{"version":1,"profile":"x","profiles":{"x":{}}}']) {
      await writeFile(path, text);
      const result = await world.run(["whoami"]);
      expect([result.code, result.stderr.includes("config.json cannot be used")]).toEqual([1, true]);
    }
  });
});
