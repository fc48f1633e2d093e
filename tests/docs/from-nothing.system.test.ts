/** From an empty folder to a 200: what the READMEs and the tutorials have typed, as printed, as somebody without any rights, with our packages in a registry. */
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { signIn } from "../../tools/src/demo/sign-in.js";
import { findFreePort, isPortFree } from "../../tools/src/network/ports.js";
import { Browser } from "../../tools/src/scriptless/browser.js";
import { packPackages, publishedFolders, root, run } from "../packaging/pack.js";
import { type LocalRegistry, registryProblem, startRegistry } from "../packaging/registry.js";
import { EmptyComputer, end } from "./empty-computer.js";
import { codeBlocks, listDocuments } from "./markdown.js";

const adapters = ["express", "koa", "fastify", "hono", "verify"] as const;

let problem: string | undefined;
let packed: string;
let registry: LocalRegistry | undefined;
let computer: EmptyComputer;
let issuer: string;
let ports: { server: number; idp: number; postgres: number };
let system: ChildProcess;
let printed = "";

beforeAll(async () => {
  problem = await registryProblem();
  if (problem !== undefined) return;
  packed = mkdtempSync(join(tmpdir(), "authz-from-nothing-"));
  await run(process.execPath, [join(root, "reference-server/web/build.mjs")], root);
  registry = await startRegistry(await packPackages(packed, await publishedFolders()));
  computer = new EmptyComputer(registry.url);
  const server = await findFreePort();
  ports = { server, idp: await findFreePort(), postgres: await findFreePort() };
  issuer = `http://127.0.0.1:${server}`;
});

beforeEach(({ skip }) => {
  skip(problem !== undefined, problem);
});

afterAll(async () => {
  if (registry === undefined) return;
  await end(system);
  await registry.close();
  computer.remove();
  rmSync(packed, { recursive: true, force: true });
});

/** Signs a person in with a line that prints an address, which they visit. */
async function logIn(line: string, person: string): Promise<string> {
  const login = computer.start(`${line} --no-browser --json`);
  let visit: Promise<unknown> | undefined;
  let said = "";
  login.stderr?.on("data", (chunk: Buffer) => {
    said += chunk.toString();
    const address = new RegExp(`${issuer}/\\S+`).exec(said)?.[0];
    if (visit === undefined && address !== undefined && said.includes(`${address}\n`)) {
      visit = signIn(new Browser(), new URL(address), { person });
    }
  });
  const output = text(login.stdout as NonNullable<typeof login.stdout>);
  await once(login, "exit");
  await visit;
  return `${await output}${said}`;
}

/** Starts a service with a line, and waits until it answers. */
async function serve(line: string, folder: string, url: string): Promise<ChildProcess> {
  const service = computer.start(line, folder);
  let complaint = "";
  service.stderr?.on("data", (chunk: Buffer) => (complaint += chunk.toString()));
  await vi.waitUntil(
    () => {
      if (service.exitCode !== null) throw new Error(`The service ended. ${complaint}`);
      return fetch(url).catch(() => undefined);
    },
    { timeout: 60_000, interval: 100 },
  );
  return service;
}

describe("npx @authz/dev", () => {
  it("starts the system in an empty folder, and says what to do next", async () => {
    const options = [
      `--port ${ports.server}`,
      `--idp-port ${ports.idp}`,
      `--postgres-port ${ports.postgres}`,
    ];
    system = computer.start(`npx @authz/dev ${options.join(" ")}`);
    let complaint = "";
    system.stderr?.on("data", (chunk: Buffer) => (complaint += chunk.toString()));
    system.stdout?.on("data", (chunk: Buffer) => (printed += chunk.toString()));
    await vi.waitUntil(
      () => {
        if (system.exitCode !== null) throw new Error(`It ended. ${printed}${complaint}`);
        return printed.includes("Ctrl-C stops everything.");
      },
      { timeout: 240_000, interval: 100 },
    );
    expect(printed).toContain("Everything runs.");
    expect(printed).toContain(`Open ${issuer}/admin`);
    expect(readFileSync(join(computer.home, ".authz-dev/.gitignore"), "utf8")).toBe("*\n");
    const answer = await fetch(`${issuer}/admin`, { redirect: "manual" });
    expect(answer.headers.get("location")).toBe("/sign-in?return_to=%2Fadmin");
    const fetched = readdirSync(join(computer.home, ".npm/_npx")).map((name) =>
      join(computer.home, ".npm/_npx", name, "node_modules/authz-server/web/dist/index.html"),
    );
    expect(fetched.some((path) => existsSync(path))).toBe(true);
  });

  it("says which port is taken, and what to type instead", async () => {
    const { status, stderr } = await computer.tryToType(
      `npx @authz/dev --folder other --port ${ports.server} --idp-port ${ports.idp}`,
    );
    expect(status).toBe(1);
    expect(stderr).toContain(
      `Port ${ports.server} on 127.0.0.1 is taken; the authorization server needs it.`,
    );
    expect(stderr).toContain(`npx @authz/dev --port ${ports.server + 1}`);
  });
});

it("npx @authz/cli login signs Ada in", async () => {
  expect(await logIn(`npx @authz/cli login --issuer ${issuer}`, "ada")).toContain('"subject"');
});

// First, because it gives a permission to Ada alone.
describe("docs/tutorials/protect-an-api.md", () => {
  const blocks = codeBlocks("docs/tutorials/protect-an-api.md");
  const block = (start: string) =>
    atOtherAddresses(blocks.find(({ code }) => code.startsWith(start))?.code ?? "");
  let origin: string;
  let service: ChildProcess;

  afterAll(() => end(service));

  const atOtherAddresses = (words: string) =>
    words
      .replaceAll("http://127.0.0.1:3000", issuer)
      .replaceAll("http://127.0.0.1:3201", origin)
      .replaceAll("3201", new URL(origin).port);

  it("has a service that refuses as is printed", async () => {
    origin = `http://127.0.0.1:${await findFreePort()}`;
    const folder = computer.folder("tutorial");
    await computer.type(block("npm install"), folder);
    writeFileSync(join(folder, "server.mjs"), block("import "));
    service = await serve(block("node "), folder, origin);
    const answered = (await computer.type(block("curl "))).replaceAll("\r", "").toLowerCase().split("\n");
    for (const line of block("HTTP/1.1 401").trim().toLowerCase().split("\n"))
      expect(answered).toContain(line);
  });

  it("is registered for Ada, answers her as is printed, and has no other permission", async () => {
    await computer.type(block("npx @authz/dev register"));
    const [, request = ""] = block("npx @authz/cli login").split("\n");
    expect(JSON.parse(await computer.type(request))).toEqual(JSON.parse(block("{ ")));
    const { status, stdout, stderr } = await computer.tryToType(
      block("npx @authz/cli request --scope contracts:write"),
    );
    expect([status, stdout]).toEqual([4, ""]);
    expect(stderr).toContain("contracts:read");
  });

  it("tells Clara whom to ask, as docs/tutorials/let-an-agent-work.md prints it", async () => {
    const next = codeBlocks("docs/tutorials/let-an-agent-work.md");
    const { code = "" } = next.find(({ code: typed }) => typed.includes("--profile clara")) ?? {};
    const [login = "", why = ""] = atOtherAddresses(code).split("\n");
    // By then the page has had Bruno sign in at the console. Until he does, only his address is known.
    await logIn(`npx @authz/cli login --issuer ${issuer} --profile bruno`, "bruno");
    expect(await logIn(login, "clara")).toContain('"subject"');
    const words =
      next.find(({ code: answer }) => answer.startsWith("contracts:read is missing"))?.code ?? "?";
    const { status, stdout } = await computer.tryToType(why);
    expect(status).toBe(4);
    expect(stdout).toContain(words.trim());
  });
});

describe.each(adapters)("the README of @authz/%s", (adapter) => {
  const blocks = codeBlocks(`packages/${adapter}/README.md`);
  const first = (language: string) => blocks.find((block) => block.language === language)?.code ?? "";
  const calls = blocks.find(({ code }) => code.startsWith("npx @authz/dev register"))?.code ?? "";
  let origin: string;
  let service: ChildProcess;

  afterAll(() => end(service));

  const atOtherAddresses = (words: string) =>
    words
      .replaceAll("http://127.0.0.1:3000", issuer)
      .replaceAll("http://127.0.0.1:4000", origin)
      .replaceAll("4000", new URL(origin).port);

  it("goes from an empty folder to a registered service that answers Ada with 200", async () => {
    origin = `http://127.0.0.1:${await findFreePort()}`;
    const folder = computer.folder(adapter);
    await computer.type(first("sh"), folder);
    writeFileSync(join(folder, "server.mjs"), atOtherAddresses(first("ts")));
    service = await serve("node server.mjs", folder, origin);
    expect((await fetch(`${origin}/api/contracts`)).status).toBe(401);
    const [register = "", , request = ""] = atOtherAddresses(calls).split("\n");
    expect(await computer.type(register)).toContain(`Service at ${new URL(origin).host} is registered.`);
    expect(JSON.parse(await computer.type(request))).toEqual({
      requested_by: expect.any(String),
      contracts: [],
    });
  });

  it("can be registered again, which changes nothing", async () => {
    const [register = ""] = atOtherAddresses(calls).split("\n");
    expect(await computer.type(register)).toContain("is already registered");
  });
});

/** What other documents have installed; a computer has each of them in a folder of its own. */
const installed = listDocuments()
  .flatMap(codeBlocks)
  .filter(({ language }) => language === "sh")
  .flatMap(({ code }) => code.match(/^npm install .*@authz\/.*$/gm) ?? []);

const isGlobal = (line: string) => line.includes("--global");
const folderFor = (line: string) => computer.folder(line.replaceAll(/[^a-z]+/g, "-"));

it.each([...new Set(installed)].filter((line) => !isGlobal(line)))(
  "%s installs what it names",
  async (line) => {
    const folder = folderFor(line);
    await computer.type(line, folder);
    const names = line
      .split(" ")
      .slice(2)
      .filter((word) => !word.startsWith("--"));
    const missing = names.filter((name) => !existsSync(join(folder, "node_modules", name, "package.json")));
    expect(missing).toEqual([]);
  },
);

it.each([...new Set(installed)].filter(isGlobal))("%s brings the command authz", async (line) => {
  const folder = folderFor(line);
  await computer.type(line, folder);
  expect((await computer.type("authz --version", folder)).trim()).toMatch(/^\d+\.\d+\.\d+/);
});

it("ends with everything that it started when its terminal ends", async () => {
  const ended = once(system, "exit");
  process.kill(-(system.pid ?? Number.NaN), "SIGHUP");
  await ended;
  // npx ends at once; what it had started puts its things in order first.
  await vi.waitUntil(
    async () => {
      const free = await Promise.all(Object.values(ports).map(isPortFree));
      return free.every(Boolean) && !existsSync(join(computer.home, ".authz-dev/running.json"));
    },
    { timeout: 30_000, interval: 100 },
  );
  expect(existsSync(join(computer.home, ".authz-dev/postgres/postmaster.pid"))).toBe(false);
});
