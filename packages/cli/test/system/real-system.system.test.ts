import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { createMachineClient } from "@authz/client";
import { generateEs256KeyPair } from "@authz/dpop";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readCommandLines } from "../../../../tests/docs/command-lines.js";
import { typeBlock } from "../../../../tests/docs/printed-blocks.js";
import type { CommandResult } from "../support/cli-world.js";
import { hasPseudoTerminal, runAuthz, runInTerminal } from "../support/process.js";
import { allowAs, connectDevice, declineDevice, onLine } from "./person.js";
import { type RealSystem, startRealSystem } from "./real-system.js";
import { testThirdParty } from "./third-party.js";

const guides = join(dirname(fileURLToPath(import.meta.url)), "..", "..", "..", "..", "docs", "guides");
const run = hasPseudoTerminal ? runInTerminal : runAuthz;

let system: RealSystem;
beforeAll(async () => {
  system = await startRealSystem();
});
afterAll(async () => await system.stop());

const piped = async (...args: string[]): Promise<CommandResult> => await runAuthz(args, { env: system.env });
const typed = async (...args: string[]): Promise<CommandResult> => await run(args, { env: system.env });

describe("an employee with the real server, three services and a browser", () => {
  it("signs in at a terminal through a browser on the same computer", async () => {
    const page = await system.openPage();
    let shown: Promise<string> = Promise.resolve("");
    const login = await run(["login", "--no-browser", "--issuer", system.issuer], {
      env: system.env,
      onOutput: onLine(/^http\S+$/m, (address) => {
        shown = allowAs(page, address, "Ada Lovelace");
      }),
    });
    expect(login).toMatchObject({ code: 0 });
    expect(login.stdout + login.stderr).toContain("Signed in as");
    expect(login.stdout + login.stderr).toContain(await shown);
    expect(await page.textContent("body")).toContain("You are signed in.");
    await page.context().close();
  });

  it("signs in over SSH with a browser on another device", async () => {
    const page = await system.openPage();
    let shown: Promise<string> = Promise.resolve("");
    const login = await run(["login", "--profile", "server-room", "--issuer", system.issuer], {
      env: { ...system.env, SSH_CONNECTION: "10.0.0.1 50000 10.0.0.2 22" },
      onOutput: onLine(/^http\S+\?user_code=\S+$/m, (address) => {
        shown = connectDevice(page, address, "Ada Lovelace");
      }),
    });
    const said = login.stdout + login.stderr;
    expect([login.code, said]).toEqual([0, expect.stringContaining("because this is an SSH session")]);
    expect(said).toContain(await shown);
    const me = await piped("whoami", "--json", "--profile", "server-room");
    expect(JSON.parse(me.stdout)).toMatchObject({ email: "ada@acme.example" });
    expect((await piped("logout", "--json", "--profile", "server-room")).stdout).toContain('"revoked":true');
    await page.context().close();
  });

  it("fails when the person declines on the other device", async () => {
    const page = await system.openPage();
    const args = ["login", "--device", "--json", "--profile", "declined", "--issuer", system.issuer];
    const login = await runAuthz(args, {
      env: system.env,
      onOutput: onLine(/^http\S+\?user_code=\S+$/m, (address) => {
        void declineDevice(page, address, "Ada Lovelace");
      }),
    });
    expect([login.code, JSON.parse(login.stderr.trim().split("\n").at(-1) ?? "")]).toMatchObject([
      4,
      { code: "sign_in_denied" },
    ]);
    await page.context().close();
  });

  it("sees tables at a terminal and plain lines elsewhere", async () => {
    const table = await typed("scopes");
    expect(table.code).toBe(0);
    const plain = await piped("scopes");
    expect(plain.stdout).toContain("contracts-koa\tcontracts:read\tyes\t");
    expect(plain.stdout).toContain("contracts-koa\tcontracts:write\tno\t");
    const json = await piped("skills", "--json");
    expect(JSON.parse(json.stdout)).toHaveProperty("items.0.id");
    expect((await piped("doctor")).code).toBe(0);
  });

  it("calls all three services, and is refused with exit code 4 where a permission is missing", async () => {
    for (const service of ["express", "koa", "fastify"] as const) {
      const allowed = await piped("request", "--scope", "contracts:read", system.api(service));
      expect([allowed.code, JSON.parse(allowed.stdout)]).toMatchObject([0, { contracts: expect.any(Array) }]);
      const denied = await piped("request", "--json", "--scope", "contracts:write", system.api(service));
      expect([denied.code, denied.stdout, JSON.parse(denied.stderr)]).toMatchObject([
        4,
        "",
        { code: "scope_not_granted" },
      ]);
    }
    const terminal = await typed("request", "--scope", "contracts:read", system.api("koa"));
    expect([terminal.code, terminal.stdout.includes("Northwind")]).toEqual([0, true]);
  });

  it("renews the session once for twenty commands at the same time", async () => {
    const count = async (): Promise<{ tokens: number; refreshed: number; refused: number }> => {
      const [row] = await system.query(
        `SELECT (SELECT count(*)::int FROM refresh_tokens) AS tokens,
                  (SELECT count(*)::int FROM audit_events
                    WHERE type = 'token.issued' AND data->>'grantType' = 'refresh_token') AS refreshed,
                  (SELECT count(*)::int FROM audit_events WHERE type = 'token.refused') AS refused`,
      );
      return row as { tokens: number; refreshed: number; refused: number };
    };
    const before = await count();
    system.forgetTokens();
    const commands = Array.from({ length: 20 }, async (_, index) =>
      index % 2 === 0
        ? await piped("whoami", "--json")
        : await piped(
            "request",
            "--scope",
            "contracts:read",
            system.api(index % 4 === 1 ? "koa" : "fastify"),
          ),
    );
    const results = await Promise.all(commands);
    expect(results.map(({ code, stderr }) => `${String(code)}${stderr}`)).toEqual(results.map(() => "0"));
    const after = await count();
    expect({
      tokens: after.tokens - before.tokens,
      refreshed: after.refreshed - before.refreshed,
      refused: after.refused - before.refused,
    }).toEqual({ tokens: 1, refreshed: 1, refused: 0 });
  });
});

testThirdParty(() => system);

describe("an agent with the real server", () => {
  it("finds a skill, reads it, makes the request, is denied, and asks why", async () => {
    const api = "http://127.0.0.1:3101/api/contracts";
    const shown = await typeBlock("docs/guides/agent-session.md", "authz skills find", async (step) => {
      const [{ words } = { words: [] }] = readCommandLines(step.replace(api, system.api("express")));
      const { code, stdout, stderr } = await piped(...words.slice(1));
      const output = `${stdout}${stdout === "" || stdout.endsWith("\n") ? "" : "\n"}${stderr}`;
      return `$ ${step}\n${output}${code === 0 ? "" : `(exit code ${String(code)})\n`}`;
    });
    const [me] = await system.query("SELECT id FROM users WHERE email = 'ada@acme.example'");
    const transcript = shown
      .join("\n")
      .replaceAll(system.api("express").replace("/api/contracts", ""), "http://127.0.0.1:3101")
      .replaceAll(new URL(system.api("express")).host, "127.0.0.1:3101")
      .replaceAll(/^--- [\da-f]{16}:/gm, "--- 3f9a2c71d04be856:")
      .replaceAll(String(me?.id), "8f14e45f-ceea-467a-9af0-1d2c3b4a5968");
    const written = await readFile(join(guides, "agent-session.md"), "utf8");
    const page = written.replace(/(?<=^````text\n)[^]*(?=^````$)/m, () => transcript);
    await expect(page).toMatchFileSnapshot(join(guides, "agent-session.md"));
    expect(page).not.toMatch(/eyJ/);
  });

  it("may do it as soon as an administrator has given the permission", async () => {
    await system.register({
      assignments: [
        { email: "ada@acme.example", scopes: ["authz:login", "contracts:read", "contracts:write"] },
      ],
    });
    const post = ["-X", "POST", "--scope", "contracts:write", "-d", '{"customer":"Acme"}'];
    const allowed = await piped("request", ...post, system.api("express"));
    expect([allowed.code, allowed.stderr]).toEqual([0, ""]);
    expect((await piped("why", "--scope", "contracts:write", system.api("express"))).code).toBe(0);
  });
});

describe("a machine with the real server", () => {
  it("calls a service with the client library and its own key", async () => {
    const { privateJwk, publicJwk } = await generateEs256KeyPair();
    const scopes = ["contracts:read"];
    const keys = [{ ...publicJwk, kid: "1" }];
    await system.register({ machineClients: [{ id: "nightly", name: "Nightly", keys, scopes }] });
    const machine = createMachineClient({
      issuer: system.issuer,
      clientId: "nightly",
      signingKey: { kid: "1", privateJwk },
      resources: [{ resource: system.api("koa").replace("/contracts", "") }],
    });
    for (const scope of [scopes, undefined]) {
      const options = scope === undefined ? {} : { scopes: scope };
      const answer = await machine.authorizedFetch(system.api("koa"), {}, options);
      expect([answer.status, await answer.json()]).toMatchObject([200, { requested_by: "nightly" }]);
    }
    await expect(
      machine.authorizedFetch(system.api("koa"), {}, { scopes: ["contracts:write"] }),
    ).rejects.toMatchObject({ code: "scope_not_granted", facts: { missingScopes: ["contracts:write"] } });
  });
});
