import { readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { createMachineClient } from "@authz/client";
import { generateEs256KeyPair } from "@authz/dpop";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hasPseudoTerminal, runAuthz, runInTerminal } from "../support/process.js";
import type { CommandResult } from "../support/cli-world.js";
import { allowAs, connectDevice, connectNotes, declineDevice } from "./person.js";
import { type RealSystem, startRealSystem } from "./real-system.js";

const SLOW = 180_000;
const guides = join(dirname(fileURLToPath(import.meta.url)), "..", "..", "..", "..", "docs", "guides");
const run = hasPseudoTerminal ? runInTerminal : runAuthz;

let system: RealSystem;
beforeAll(async () => {
  system = await startRealSystem();
}, SLOW);
afterAll(async () => await system.stop(), SLOW);

const piped = async (...args: string[]): Promise<CommandResult> => await runAuthz(args, { env: system.env });
const typed = async (...args: string[]): Promise<CommandResult> => await run(args, { env: system.env });

/** Calls back once, with the first whole line that matches. */
function onLine(wanted: RegExp, act: (line: string) => void): (output: string) => void {
  let done = false;
  return (output) => {
    const text = output.replaceAll("\r", "");
    const line = wanted.exec(text.slice(0, text.lastIndexOf("\n") + 1))?.[0];
    if (done || line === undefined) return;
    done = true;
    act(line);
  };
}

describe("an employee with the real server, three services and a browser", () => {
  it(
    "signs in at a terminal through a browser on the same computer",
    async () => {
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
    },
    SLOW,
  );

  it(
    "signs in over SSH with a browser on another device",
    async () => {
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
      expect((await piped("logout", "--json", "--profile", "server-room")).stdout).toContain(
        '"revoked":true',
      );
      await page.context().close();
    },
    SLOW,
  );

  it(
    "is told when somebody declines on the other device",
    async () => {
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
    },
    SLOW,
  );

  it(
    "sees tables at a terminal and plain lines elsewhere",
    async () => {
      const table = await typed("scopes");
      expect(table.code).toBe(0);
      const plain = await piped("scopes");
      expect(plain.stdout).toContain("contracts-koa\tcontracts:read\tyes\t");
      expect(plain.stdout).toContain("contracts-koa\tcontracts:write\tno\t");
      const json = await piped("skills", "--json");
      expect(JSON.parse(json.stdout)).toHaveProperty("items.0.id");
      expect((await piped("doctor")).code).toBe(0);
    },
    SLOW,
  );

  it(
    "calls all three services, and is refused with exit code 4 where a permission is missing",
    async () => {
      for (const service of ["express", "koa", "fastify"] as const) {
        const allowed = await piped("request", "--scope", "contracts:read", system.api(service));
        expect([allowed.code, JSON.parse(allowed.stdout)]).toMatchObject([
          0,
          { contracts: expect.any(Array) },
        ]);
        const denied = await piped("request", "--json", "--scope", "contracts:write", system.api(service));
        expect([denied.code, denied.stdout, JSON.parse(denied.stderr)]).toMatchObject([
          4,
          "",
          { code: "scope_not_granted" },
        ]);
      }
      const terminal = await typed("request", "--scope", "contracts:read", system.api("koa"));
      expect([terminal.code, terminal.stdout.includes("Northwind")]).toEqual([0, true]);
    },
    SLOW,
  );

  it(
    "renews the session once for twenty commands at the same time",
    async () => {
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
    },
    SLOW,
  );
});

describe("an employee with an account at a third party", () => {
  const notes = async (...args: string[]): Promise<CommandResult> =>
    await piped("request", "--json", "--connection", "notes", ...args);
  const problemOf = ({ stderr }: CommandResult): unknown =>
    JSON.parse(stderr.trim().split("\n").at(-1) ?? "");

  it(
    "is told how to connect it, and connects it in a browser",
    async () => {
      expect((await piped("connections")).stdout).toBe("notes\tnot connected\tyes\t\tNotes\n");
      const before = await notes(system.notes);
      expect([before.code, before.stdout, problemOf(before)]).toMatchObject([
        3,
        "",
        { code: "not_connected", hint: "Connect it: authz connections connect notes", sent: "no" },
      ]);
      const page = await system.openPage();
      let visited: Promise<void> = Promise.resolve();
      const connect = await run(["connections", "connect", "notes", "--no-browser"], {
        env: system.env,
        onOutput: onLine(/^http\S+$/m, (address) => {
          visited = connectNotes(page, address, "Ada Lovelace");
        }),
      });
      await visited;
      expect([connect.code, connect.stdout + connect.stderr]).toEqual([
        0,
        expect.stringContaining("Connected to"),
      ]);
      const shown = await piped("connections", "show", "notes", "--json");
      expect(JSON.parse(shown.stdout)).toMatchObject({
        state: "connected",
        account: { label: expect.stringContaining("home.example") },
        grantedScopes: ["notes:read", "notes:write"],
      });
      await page.context().close();
    },
    SLOW,
  );

  it(
    "reads and writes there, and no further than is allowed",
    async () => {
      const read = await notes(system.notes);
      expect([read.code, JSON.parse(read.stdout)]).toMatchObject([
        0,
        { status: 200, url: system.notes, body: { owner: "ada@home.example" } },
      ]);
      const written = await notes(system.notes, "-d", '{"title":"Hello","text":"From a terminal."}');
      expect([written.code, JSON.parse(written.stdout)]).toMatchObject([0, { status: 201 }]);
      const elsewhere = await notes(system.notes.replace("/notes", "/account"));
      expect([elsewhere.code, problemOf(elsewhere)]).toMatchObject([4, { code: "target_not_allowed" }]);
      const wrong = await notes(`${system.notes}/nothing`);
      expect([wrong.code, problemOf(wrong)]).toMatchObject([1, { code: "service_failed" }]);
    },
    SLOW,
  );

  it(
    "is told that a body is too large before any of it is sent",
    async () => {
      const file = join(system.env.HOME ?? "", "large.bin");
      await writeFile(file, Buffer.alloc(11 * 1024 * 1024, 120));
      const sized = await notes(system.notes, "-X", "POST", "-T", file);
      expect([sized.code, problemOf(sized)]).toMatchObject([1, { code: "request_too_large", sent: "no" }]);
    },
    SLOW,
  );

  it(
    "disconnects it, and the third party confirms that",
    async () => {
      const ended = await piped("connections", "disconnect", "notes", "--yes", "--json");
      expect(JSON.parse(ended.stdout)).toEqual({
        connector: "notes",
        disconnected: true,
        revocation: "confirmed",
      });
      expect((await notes(system.notes)).code).toBe(3);
      const events = await system.query(
        "SELECT type, data FROM audit_events WHERE type LIKE 'connection.%' ORDER BY id",
      );
      expect(events.map(({ type }) => type)).toContain("connection.used");
      expect(JSON.stringify(events)).not.toContain("From a terminal");
    },
    SLOW,
  );
});

describe("an agent with the real server", () => {
  it(
    "finds a skill, reads it, makes the request, is denied, and asks why",
    async () => {
      const api = "http://127.0.0.1:3101/api/contracts";
      const steps = [
        "skills find list contracts express",
        "skills show contracts-express.list-contracts",
        `request --scope contracts:read ${api}`,
        `request -X POST --scope contracts:write -d {"customer":"Acme"} ${api}`,
        `why --scope contracts:write ${api}`,
      ];
      const shown: string[] = [];
      for (const step of steps) {
        const args = step.replace(api, system.api("express")).split(" ");
        const { code, stdout, stderr } = await piped(...args, "--agent");
        const output = `${stdout}${stdout === "" || stdout.endsWith("\n") ? "" : "\n"}${stderr}`;
        const exit = code === 0 ? "" : `(exit code ${String(code)})\n`;
        shown.push(`$ authz ${step.replace("{", "'{").replace("}", "}'")} --agent\n${output}${exit}`);
      }
      const [me] = await system.query("SELECT id FROM users WHERE email = 'ada@acme.example'");
      const transcript = shown
        .join("\n")
        .replaceAll(system.api("express").replace("/api/contracts", ""), "http://127.0.0.1:3101")
        .replaceAll(String(me?.id), "8f14e45f-ceea-467a-9af0-1d2c3b4a5968");
      const page = `# A session of an agent

Tom has signed in once. From then on his agent finds a skill, reads it, makes the request it describes, and when something is not
allowed it can say which permission is missing and whom to ask. A test runs these commands against the system that \`npm start\` starts, as Ada,
and compares what they print with this page.

\`\`\`\`text
${transcript}\`\`\`\`

The same tools are there over the Model Context Protocol: \`authz mcp\`. Everything else is in [the reference](../reference/cli.md).
`;
      await expect(page).toMatchFileSnapshot(join(guides, "agent-session.md"));
      expect(await readFile(join(guides, "agent-session.md"), "utf8")).not.toMatch(/eyJ/);
    },
    SLOW,
  );

  it(
    "may do it as soon as an administrator has given the permission",
    async () => {
      await system.register({
        assignments: [
          { email: "ada@acme.example", scopes: ["authz:login", "contracts:read", "contracts:write"] },
        ],
      });
      const post = ["-X", "POST", "--scope", "contracts:write", "-d", '{"customer":"Acme"}'];
      const allowed = await piped("request", ...post, system.api("express"));
      expect([allowed.code, allowed.stderr]).toEqual([0, ""]);
      expect((await piped("why", "--scope", "contracts:write", system.api("express"))).code).toBe(0);
    },
    SLOW,
  );
});

describe("a machine with the real server", () => {
  it(
    "calls a service with the client library and its own key",
    async () => {
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
      ).rejects.toMatchObject({ code: "scope_not_granted", missingScopes: ["contracts:write"] });
    },
    SLOW,
  );
});
