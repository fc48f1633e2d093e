/** From an empty folder to a 200: what the READMEs have typed, with the packed packages, as somebody without any rights, and without this repository. */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, chownSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { signIn } from "../../tools/src/demo/sign-in.js";
import { findFreePort, isPortFree } from "../../tools/src/network/ports.js";
import { Browser } from "../../tools/src/scriptless/browser.js";
import { packPackages, root, run } from "../packaging/pack.js";
import { codeBlocks } from "./markdown.js";

const adapters = ["express", "koa", "fastify", "hono", "verify"] as const;
const others = ["dpop", "skills", "client", "agent-tools", "cli", "dev-idp", "dev"] as const;
const isRoot = process.getuid?.() === 0;
const as: { readonly uid?: number; readonly gid?: number } = isRoot ? { uid: 65_534, gid: 65_534 } : {};

let packed: string;
let folder: string;
let environment: NodeJS.ProcessEnv;
let ports: { server: number; idp: number; postgres: number };
let system: ChildProcess;
let printed = "";

beforeAll(async () => {
  packed = mkdtempSync(join(tmpdir(), "authz-from-nothing-packed-"));
  chmodSync(packed, 0o755);
  folder = mkdtempSync(join(tmpdir(), "authz-from-nothing-"));
  if (as.uid !== undefined) chownSync(folder, as.uid, as.uid);
  // Nothing of the npm that runs the tests, and nothing of the home of whoever runs them.
  environment = { PATH: process.env["PATH"], HOME: folder, AUTHZ_TOKEN_STORE: "file" };
  const server = await findFreePort();
  const idp = await findFreePort();
  const postgres = await findFreePort();
  ports = { server, idp, postgres };
  await run(process.execPath, [join(root, "reference-server/web/build.mjs")], root);
  const tarballs = await packPackages(packed, [
    ...[...adapters, ...others].map((name) => `packages/${name}`),
    "reference-server",
  ]);
  const frameworks = adapters.flatMap(installedBeside);
  const names = [...tarballs.map(({ tarball }) => tarball), ...new Set(frameworks)];
  // The tarballs stand for the registry, where those that are named would bring the others.
  type(`npm install --no-audit --no-fund --loglevel=error ${names.join(" ")}`);
});

afterAll(async () => {
  await end(system);
  for (const path of [packed, folder]) rmSync(path, { recursive: true, force: true });
});

/** What the first line of a README installs beside our package. */
function installedBeside(adapter: string): readonly string[] {
  const [line = ""] = (firstBlock(adapter, "sh") ?? "").split("\n");
  return line
    .split(" ")
    .slice(2)
    .filter((name) => !name.startsWith("@authz/"));
}

function firstBlock(adapter: string, language: string): string | undefined {
  return codeBlocks(`packages/${adapter}/README.md`).find((block) => block.language === language)?.code;
}

it("npx @authz/dev starts the system in an empty folder, and says what to do next", async () => {
  const options = [`--port ${ports.server}`, `--idp-port ${ports.idp}`, `--postgres-port ${ports.postgres}`];
  system = start(`npx @authz/dev ${options.join(" ")}`);
  system.stdout?.on("data", (chunk: Buffer) => (printed += chunk.toString()));
  await vi.waitUntil(
    () => {
      if (system.exitCode !== null) throw new Error(`It ended. ${printed}`);
      return printed.includes("Ctrl-C stops everything.");
    },
    { timeout: 120_000, interval: 100 },
  );
  expect(printed).toContain("Everything runs.");
  expect(printed).toContain(`Open http://127.0.0.1:${ports.server}/admin`);
  expect(readFileSync(join(folder, ".authz-dev/.gitignore"), "utf8")).toBe("*\n");
  const answer = await fetch(`http://127.0.0.1:${ports.server}/admin`, { redirect: "manual" });
  expect(answer.headers.get("location")).toBe("/sign-in?return_to=%2Fadmin");
  expect(existsSync(join(folder, "node_modules/authz-server/web/dist/index.html"))).toBe(true);
});

it("says which port is taken, and what to type instead", () => {
  const { status, stderr } = tryToType(
    `npx @authz/dev --folder other --port ${ports.server} --idp-port ${ports.idp}`,
  );
  expect(status).toBe(1);
  expect(stderr).toContain(`Port ${ports.server} on 127.0.0.1 is taken; the authorization server needs it.`);
  expect(stderr).toContain(`npx @authz/dev --port ${ports.server + 1}`);
});

it("authz login signs Ada in", async () => {
  const issuer = `http://127.0.0.1:${ports.server}`;
  const login = start(`npx @authz/cli login --issuer ${issuer} --no-browser --json`);
  let visit: Promise<unknown> | undefined;
  let said = "";
  login.stderr?.on("data", (chunk: Buffer) => {
    said += chunk.toString();
    const address = new RegExp(`${issuer}/\\S+`).exec(said)?.[0];
    if (visit === undefined && address !== undefined && said.includes(`${address}\n`)) {
      visit = signIn(new Browser(), new URL(address), { person: "ada" });
    }
  });
  const [output] = await Promise.all([
    text(login.stdout as NonNullable<typeof login.stdout>),
    once(login, "exit"),
  ]);
  await visit;
  expect(`${output}${said}`).toContain('"subject"');
});

describe.each(adapters)("the sample in the README of @authz/%s", (adapter) => {
  let origin: string;
  let service: ChildProcess;

  afterAll(() => end(service));

  it("is registered as it describes itself, and answers Ada with 200", async () => {
    origin = `http://127.0.0.1:${await findFreePort()}`;
    const sample = atOtherAddresses(firstBlock(adapter, "ts") ?? "");
    writeFileSync(join(folder, "server.mjs"), sample);
    let complaint = "";
    service = start("node server.mjs");
    service.stderr?.on("data", (chunk: Buffer) => (complaint += chunk.toString()));
    const refused = await vi.waitUntil(
      () => {
        if (service.exitCode !== null) throw new Error(`The sample ended. ${complaint}`);
        return fetch(`${origin}/api/contracts`).catch(() => undefined);
      },
      { timeout: 60_000, interval: 100 },
    );
    expect(refused.status).toBe(401);
    const [register = "", , request = ""] = typedBlocks(adapter);
    expect(type(register)).toContain(`Service at ${new URL(origin).host} is registered.`);
    expect(JSON.parse(type(request))).toEqual({ requested_by: expect.any(String), contracts: [] });
  });

  it("can be registered again, which changes nothing", () => {
    const [register = ""] = typedBlocks(adapter);
    expect(type(register)).toContain("is already registered");
  });

  function atOtherAddresses(words: string): string {
    return words
      .replaceAll("http://127.0.0.1:3000", `http://127.0.0.1:${ports.server}`)
      .replaceAll("http://127.0.0.1:4000", origin)
      .replaceAll("4000", new URL(origin).port);
  }

  /** The three lines that register, sign in and call. What npx finds installed it does not fetch. */
  function typedBlocks(name: string): readonly string[] {
    const block = codeBlocks(`packages/${name}/README.md`).find(({ code }) =>
      code.startsWith("npx @authz/dev register"),
    );
    return atOtherAddresses(block?.code ?? "").split("\n");
  }
});

it("ends with everything that it started when its terminal ends", async () => {
  const ended = once(system, "exit");
  process.kill(-(system.pid ?? Number.NaN), "SIGHUP");
  await ended;
  // npx ends at once; what it had started puts its things in order first.
  await vi.waitUntil(
    async () => {
      const free = await Promise.all(Object.values(ports).map(isPortFree));
      return free.every(Boolean) && !existsSync(join(folder, ".authz-dev/running.json"));
    },
    { timeout: 30_000, interval: 100 },
  );
  expect(existsSync(join(folder, ".authz-dev/postgres/postmaster.pid"))).toBe(false);
});

/** What a line prints; it has to succeed. */
function type(line: string): string {
  const { status, stdout, stderr } = tryToType(line);
  expect(status, `${line}\n${stdout}\n${stderr}`).toBe(0);
  return stdout;
}

function tryToType(line: string): { status: number | null; stdout: string; stderr: string } {
  return spawnSync("sh", ["-c", line], { cwd: folder, env: environment, encoding: "utf8", ...as });
}

/** Starts a line in a group of its own, so that it ends together with what it starts. */
function start(line: string): ChildProcess {
  return spawn("sh", ["-c", `exec ${line}`], { cwd: folder, env: environment, detached: true, ...as });
}

async function end(child: ChildProcess | undefined): Promise<void> {
  if (child?.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, "exit");
  process.kill(-child.pid);
  await ended;
}
