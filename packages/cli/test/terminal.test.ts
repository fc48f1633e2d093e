import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readdirSync, rmSync, watch, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { githubConnection } from "../../client/test/support/test-connections.js";
import { type CliWorld, startCliWorld, visitAddress } from "./support/cli-world.js";
import { authzProgram, buildCli, hasPseudoTerminal, runAuthz, runInTerminal } from "./support/process.js";

let world: CliWorld;
beforeAll(async () => {
  buildCli();
  world = await startCliWorld();
  world.server.skills.push({
    id: "contracts.list",
    title: "List contracts \u001b[31mred",
    tags: [],
    requiredScopes: [],
    allowed: true,
    resource: "contracts",
    content: "text",
  });
});
afterAll(async () => await world.close());

describe("as a process of its own", () => {
  it("signs in, works and signs out", async () => {
    const { env, server, api } = world;
    const login = await runAuthz(["login", "--no-browser", "--json", "--issuer", server.origin], {
      env: { ...env, AUTHZ_TOKEN_STORE: "file" },
      onOutput: visitAddress(),
    });
    expect([login.code, JSON.parse(login.stdout)]).toMatchObject([0, { subject: "user-ada" }]);
    const request = await runAuthz(["request", "--scope", "contracts:read", api], { env });
    expect([request.code, JSON.parse(request.stdout)]).toMatchObject([0, { path: "/api/contracts" }]);
    const denied = await runAuthz(["request", "--scope", "contracts:write", "--json", api], { env });
    expect([denied.code, denied.stdout, JSON.parse(denied.stderr)]).toMatchObject([
      4,
      "",
      { code: "scope_not_granted" },
    ]);
  });

  it("shares one renewal among twenty that run at the same time", async () => {
    const { env, server, api } = world;
    server.accessTokenSeconds = 300;
    for (const grant of server.grants) grant.accessTokens.clear();
    world.service.tokens.clear();
    const isRefresh = ({ form }: { form: URLSearchParams }): boolean =>
      form.get("grant_type") === "refresh_token";
    const before = server.seen.filter(isRefresh).length;
    const results = await Promise.all(
      Array.from(
        { length: 20 },
        async (_, index) =>
          await runAuthz(index % 2 === 0 ? ["whoami", "--json"] : ["request", api], { env }),
      ),
    );
    expect(results.map(({ code, stderr }) => `${String(code)} ${stderr}`)).toEqual(results.map(() => "0 "));
    expect(server.seen.filter(isRefresh).length - before).toBe(1);
    expect(server.grants.at(-1)?.revoked).toBe(false);
  });

  it("reads a body from a pipe and stops quietly when its reader does", async () => {
    const { env, api } = world;
    const piped = await runAuthz(["request", "-d", "@-", api], { env, stdin: '{"a":1}' });
    expect(JSON.parse(piped.stdout)).toMatchObject({ method: "POST", body: '{"a":1}' });
  });
});

describe.skipIf(process.platform === "win32")("a signal", () => {
  it.each(["SIGINT", "SIGTERM"] as const)("%s leaves no half of a file behind", async (signal) => {
    const { env, api, home } = world;
    const folder = mkdtempSync(join(home, "saved-"));
    world.service.handle = async (_, response) => {
      response.writeHead(200, { "content-length": "1000000" }).write("x".repeat(1000));
      return undefined;
    };
    const child = spawn(process.execPath, [authzProgram, "request", "-o", join(folder, "answer"), api], {
      env,
    });
    const watcher = watch(folder, (_, name) => {
      if (name?.endsWith(".part") === true) child.kill(signal);
    });
    const [code, endedBy] = (await once(child, "exit")) as [number | null, string | null];
    watcher.close();
    expect([code, endedBy, readdirSync(folder)]).toEqual([null, signal, []]);
  });
});

describe.skipIf(!hasPseudoTerminal)("in a terminal", () => {
  it("shows tables and colour, and nothing a server could make it obey", async () => {
    const { env } = world;
    const skills = await runInTerminal(["skills"], { env });
    expect(skills.code).toBe(0);
    expect(skills.stdout).toContain("ID              ALLOWED  TITLE");
    expect(skills.stdout).toContain("List contracts \\u{1b}[31mred");
    expect(skills.stdout).not.toContain("\u001b[31m");
    const error = await runInTerminal(["skills", "show", "nothing"], { env });
    expect([error.code, error.stdout]).toMatchObject([
      1,
      expect.stringContaining("\u001b[1mThere is no skill"),
    ]);
    const plain = await runInTerminal(["skills", "show", "nothing"], { env: { ...env, NO_COLOR: "1" } });
    expect(plain.stdout).not.toContain("\u001b");
  });

  it("signs in and replaces the waiting line with the result", async () => {
    const { env, server } = world;
    const login = await runInTerminal(
      ["login", "--no-browser", "--profile", "pty", "--issuer", server.origin],
      {
        env: { ...env, AUTHZ_TOKEN_STORE: "file" },
        onOutput: (text) => visit(text.replaceAll("\r", "")),
      },
    );
    expect(login.code).toBe(0);
    expect(login.stdout).toContain("Waiting for the browser");
    expect(login.stdout).toContain("\r\u001b[2KSigned in as");
  });

  it("ends a sign-in on Ctrl-C", async () => {
    const { env, server } = world;
    const login = await runInTerminal(
      ["login", "--no-browser", "--profile", "stop", "--issuer", server.origin],
      {
        env: { ...env, AUTHZ_TOKEN_STORE: "file" },
        onOutput: (text) => (text.includes("Waiting") ? "\u0003" : undefined),
      },
    );
    expect(login.stdout).toContain("Signing in was stopped.");
    expect(login.code).toBe(130);
    // The waiting line has made room.
    expect(login.stdout.split("\r\u001b[2K").at(-1)).toContain("Signing in was stopped.");
  });

  it("ends the wait for a connection on Ctrl-C, and leaves the connection as it was", async () => {
    const { env, server } = world;
    server.connections.items.push(githubConnection());
    const connect = await runInTerminal(["connections", "connect", "github", "--no-browser"], {
      env,
      onOutput: (text) => (text.includes("Waiting") ? "\u0003" : undefined),
    });
    expect([connect.code, connect.stdout]).toEqual([130, expect.stringContaining("Waiting was stopped.")]);
    expect(server.connections.items[0]?.state).toBe("connected");
  });

  /** Answers nothing until it is told to. */
  function hang(): { release: () => void } {
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    world.service.handle = async () => {
      await released;
      return { status: 200, headers: { "content-type": "text/plain" }, body: "late" };
    };
    return { release };
  }

  it("says what it waits for, and takes the line away when the answer is there", async () => {
    const { env, api } = world;
    const { release } = hang();
    const result = await runInTerminal(["request", api], {
      env,
      onOutput: (text) =>
        /Waiting for 127\.0\.0\.1:\d+ … \d s {2}\(Ctrl-C stops\)/.test(text) ? release() : undefined,
    });
    expect(result.code).toBe(0);
    expect(result.stdout.split("(Ctrl-C stops)\r\u001b[2K").at(-1)).toMatch(/^--- [\da-f]{16}: what 127/);
  });

  it("says that another process is working on the session", async () => {
    const { env, home, api } = world;
    const lock = join(home, "state", "authz", "session.json.lock");
    // The owner lives on another host, so its silence is waited out.
    writeFileSync(lock, JSON.stringify({ id: "other", pid: 1, host: "elsewhere" }));
    world.service.tokens.clear();
    for (const grant of world.server.grants) grant.accessTokens.clear();
    world.service.handle = async () => ({ status: 200, body: {} });
    const result = await runInTerminal(["request", api], {
      env,
      onOutput: (text) =>
        text.includes("Waiting for another authz process … ") ? rmSync(lock, { force: true }) : undefined,
    });
    expect(result.code).toBe(0);
    expect(existsSync(lock)).toBe(false);
  });

  it("leaves no waiting line behind on Ctrl-C", async () => {
    const { env, api } = world;
    const { release } = hang();
    const result = await runInTerminal(["request", api], {
      env,
      onOutput: (text) => (text.includes("Waiting for 127") ? "\u0003" : undefined),
    });
    release();
    // The terminal shows the key where it came in, which may be before or after the next second of the line.
    const shown = result.stdout.slice(result.stdout.lastIndexOf("\u001b[2K"));
    expect([result.code, shown.replace("^C", "")]).toEqual([130, "\u001b[2K"]);
  });

  it("asks before it disconnects", async () => {
    const { env, server } = world;
    const answer = (yes: string) => (text: string) => (text.includes("[y/N]") ? `${yes}\r` : undefined);
    const args = ["connections", "disconnect", "github"];
    const kept = await runInTerminal(args, { env, onOutput: answer("n") });
    expect([kept.code, server.connections.items[0]?.state]).toEqual([1, "connected"]);
    const ended = await runInTerminal(args, { env, onOutput: answer("y") });
    expect([ended.code, server.connections.items[0]?.state]).toEqual([0, "not_connected"]);
  });
});

const visit = visitAddress();
