import { mkdtemp, readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { githubConnection } from "../../client/test/support/test-connections.js";
import { createProgram } from "../src/program.js";
import { nodeRuntime } from "../src/runtime.js";
import { type CliWorld, type CommandResult, startCliWorld } from "./support/cli-world.js";
import { authzProgram, buildCli, runProcess } from "./support/process.js";

let world: CliWorld;
const large = "x".repeat(1_000_000);
beforeAll(async () => {
  buildCli();
  world = await startCliWorld();
  await world.login();
  world.server.connections.items.push(githubConnection());
  world.server.skills.push({
    id: "contracts.list",
    title: "List contracts",
    tags: [],
    requiredScopes: [],
    allowed: true,
    resource: "contracts",
    content: large,
  });
  world.service.handle = async (request) => ({
    status: request.path.endsWith("/broken") ? 500 : 200,
    headers: { "content-type": "text/plain" },
    body: request.path.endsWith("/small") ? "{}" : large,
  });
});
afterAll(async () => await world.close());

/** One run of every command, and the exit code that it has with a reader. */
const commands: { name: string; args: () => string[]; code: number }[] = [
  {
    name: "login",
    args: () => ["login", "--no-browser", "--issuer", "http://127.0.0.1:1", "--profile", "new"],
    code: 5,
  },
  { name: "status", args: () => ["status"], code: 0 },
  { name: "whoami", args: () => ["whoami"], code: 0 },
  { name: "skills", args: () => ["skills"], code: 0 },
  { name: "skills list", args: () => ["skills", "list", "--json"], code: 0 },
  { name: "skills find", args: () => ["skills", "find", "list"], code: 0 },
  { name: "skills show", args: () => ["skills", "show", "contracts.list"], code: 0 },
  { name: "skills pull", args: () => ["skills", "pull", "--directory", join(world.home, "pulled")], code: 0 },
  { name: "request", args: () => ["request", world.api], code: 0 },
  { name: "request, refused by the service", args: () => ["request", `${world.api}/broken`], code: 1 },
  { name: "request --json", args: () => ["request", "--json", world.api], code: 0 },
  // Its connection has ended before the reader stops.
  { name: "request, with a short answer", args: () => ["request", `${world.api}/small`], code: 0 },
  {
    name: "request --agent, with a short answer",
    args: () => ["request", "--agent", `${world.api}/small`],
    code: 0,
  },
  { name: "request --agent", args: () => ["request", "--agent", world.api], code: 0 },
  { name: "scopes", args: () => ["scopes"], code: 0 },
  { name: "ask", args: () => ["ask", "--reason", "To file it", world.api], code: 0 },
  { name: "why", args: () => ["why", "--scope", "contracts:write", world.api], code: 4 },
  { name: "connections", args: () => ["connections"], code: 0 },
  { name: "connections list", args: () => ["connections", "list"], code: 0 },
  { name: "connections show", args: () => ["connections", "show", "github"], code: 0 },
  { name: "connections connect", args: () => ["connections", "connect", "nowhere"], code: 1 },
  { name: "connections disconnect", args: () => ["connections", "disconnect", "github"], code: 2 },
  { name: "config", args: () => ["config"], code: 0 },
  { name: "config list", args: () => ["config", "list"], code: 0 },
  { name: "config use", args: () => ["config", "use", "default"], code: 0 },
  {
    name: "config set-issuer",
    args: () => ["config", "set-issuer", "https://a.example", "--profile", "a"],
    code: 0,
  },
  { name: "config remove", args: () => ["config", "remove", "nobody"], code: 2 },
  { name: "doctor", args: () => ["doctor", "--profile", "nobody"], code: 0 },
  { name: "completion", args: () => ["completion", "bash"], code: 0 },
  { name: "mcp", args: () => ["mcp"], code: 0 },
  { name: "setup", args: () => ["setup", "codex", "--local"], code: 0 },
  { name: "logout", args: () => ["logout", "--profile", "nobody"], code: 2 },
  { name: "help", args: () => ["help"], code: 0 },
  { name: "version", args: () => ["version"], code: 0 },
  { name: "__complete", args: () => ["__complete", "skills"], code: 0 },
  { name: "--help", args: () => ["--help"], code: 0 },
  { name: "help of a command", args: () => ["request", "--help"], code: 0 },
  { name: "--version", args: () => ["--version"], code: 0 },
  { name: "a command that does not exist", args: () => ["nonsense"], code: 2 },
];

/** Runs a shell script that gets the command as `"$@"`. Both need a real pipe: Node's own is a socket. */
async function inShell(script: string, args: readonly string[], stdin = ""): Promise<CommandResult> {
  return await runProcess("bash", ["-c", script, "authz", process.execPath, authzProgram, ...args], {
    // Keeping compiled code would be a third of what these runs cost.
    env: { ...world.env, AUTHZ_TOKEN_STORE: "file", NODE_DISABLE_COMPILE_CACHE: "1" },
    stdin,
  });
}

describe.skipIf(process.platform === "win32")("a reader that stops", () => {
  it("is tried with every command there is", async () => {
    const { root } = await createProgram(nodeRuntime(), { json: false, agent: false, verbose: false });
    const names = root.commands.flatMap((command) => [
      command.name(),
      ...command.commands.map((below) => `${command.name()} ${below.name()}`),
    ]);
    expect(names.filter((name) => !commands.some((tried) => tried.name === name))).toEqual([]);
  });

  // The pipe has lost its reader for certain when the command starts.
  const closed = 'exec 3> >(:); wait $!; "$@"';
  const ping = '{"jsonrpc":"2.0","id":1,"method":"ping"}\n';

  // Several at a time: each of them is a process that mostly starts.
  it.concurrent.each(commands)(
    "leaves $name its exit code, on stdout and on both",
    async ({ args, code }) => {
      const result = await inShell(`${closed} >&3`, args(), ping);
      expect([result.code, result.stdout]).toEqual([code, ""]);
      expect(result.stderr).not.toMatch(/EPIPE|node:|at .*\.js|could not be written/);
      expect(await inShell(`${closed} >&3 2>&3`, args(), ping)).toEqual({ code, stdout: "", stderr: "" });
    },
  );

  it.each([
    { path: "", code: 0, stderr: "" },
    { path: "/broken", code: 1, stderr: "answered 500" },
  ])("may take a part of an answer, which then ends with $code", async ({ path, code, stderr }) => {
    const script = '"$@" | head -c 10; exit ${PIPESTATUS[0]}';
    const result = await inShell(script, ["request", `${world.api}${path}`]);
    expect([result.code, result.stdout]).toEqual([code, "xxxxxxxxxx"]);
    expect(result.stderr).toContain(stderr);
  });

  it("ends the agent's server, although its input goes on", async () => {
    const folder = await mkdtemp(join(tmpdir(), "authz-mcp-"));
    // The question is repeated until the reader is seen to be gone: the input never ends by itself.
    const script = `mkfifo ${folder}/in; ${closed} <${folder}/in >&3 & authz=$!
      exec 4>${folder}/in; while echo '${ping.trim()}' >&4 2>/dev/null; do :; done 2>/dev/null
      wait $authz; echo $? >${folder}/code`;
    await inShell(`trap '' PIPE; ${script}`, ["mcp"]);
    expect(await readFile(join(folder, "code"), "utf8")).toBe("0\n");
  });
});

describe.skipIf(process.platform !== "linux")("a disk that is full", () => {
  it("is said, because the output is not there", async () => {
    for (const args of [
      ["completion", "bash"],
      ["request", `${world.api}/small`],
    ]) {
      const result = await inShell('"$@" >/dev/full', args);
      expect([result.code, result.stderr.split("\n").slice(0, 2)]).toEqual([
        1,
        ["The output could not be written.", "The disk is full."],
      ]);
    }
  });
});
