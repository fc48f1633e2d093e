/** From nothing to a refused request: what the READMEs of the adapters have typed first, in an empty folder, with the packed packages. */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, chownSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createTestIssuer, type TestIssuer } from "@authz/testing";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { findFreePort } from "../../tools/src/network/ports.js";
import { type PackedPackage, packPackages, runTool } from "../packaging/pack.js";
import { codeBlocks, readDocument } from "./markdown.js";

const sdk = ["dpop", "skills", "verify", "express", "koa", "fastify", "hono"].map(
  (name) => `packages/${name}`,
);
const isRoot = process.getuid?.() === 0;
const nobody = { uid: 65_534, gid: 65_534 };
/** Each adapter as whoever runs the tests; one also as somebody without any rights, where only root can be that. */
const tries = [
  { adapter: "express", as: {} },
  { adapter: "koa", as: {} },
  { adapter: "fastify", as: {} },
  { adapter: "hono", as: {} },
  ...(isRoot ? [{ adapter: "express", as: nobody }] : []),
];

let directory: string;
let packages: readonly PackedPackage[];

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), "authz-quickstart-"));
  chmodSync(directory, 0o755);
  packages = await packPackages(directory, sdk);
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

describe.each(tries)("The README of $adapter, as $as", ({ adapter, as }) => {
  const blocks = codeBlocks(`packages/${adapter}/README.md`);
  const code = (language: string) => blocks.find((block) => block.language === language)?.code ?? "";
  let folder: string;
  let origin: string;
  let issuer: TestIssuer;
  let server: ChildProcess | undefined;

  beforeAll(async () => {
    folder = mkdtempSync(join(directory, `${adapter}-`));
    origin = `http://127.0.0.1:${await findFreePort()}`;
    issuer = await createTestIssuer({
      supportedScopes: ["contracts:read"],
      publicOrigin: origin,
      listen: true,
    });
    if ("uid" in as) chownSync(folder, as.uid, as.gid);
  });
  afterAll(async () => {
    if (server?.pid !== undefined && server.exitCode === null) {
      const ended = once(server, "exit");
      process.kill(-server.pid);
      await ended;
    }
    await issuer.close();
  });

  it("is installed by what is printed, with types for its sample", async () => {
    for (const line of code("sh").trim().split("\n")) type(withTarballs(line));
    type("npm pkg set type=module");
    const sample = code("ts")
      .replaceAll("http://127.0.0.1:3000", issuer.url)
      .replaceAll("4000", new URL(origin).port);
    writeFileSync(join(folder, "server.mjs"), sample);
    // The same file in a TypeScript project.
    writeFileSync(join(folder, "server.ts"), sample);
    const compilerOptions = {
      target: "es2023",
      module: "nodenext",
      strict: true,
      noEmit: true,
      skipLibCheck: true,
    };
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["server.ts"] }));
    await expect(runTool("tsc", ["-p", folder])).resolves.toBe("");
  });

  it("starts, and refuses as is printed", async () => {
    let output = "";
    server = spawn("node", ["server.mjs"], {
      cwd: folder,
      env: environment(),
      detached: true,
      ...as,
    });
    server.stderr?.on("data", (text: Buffer) => (output += text.toString()));
    const answer = await vi.waitUntil(
      () => {
        if (server?.exitCode !== null) throw new Error(`The sample ended. ${output}`);
        return fetch(`${origin}/api/contracts`).catch(() => undefined);
      },
      { timeout: 60_000, interval: 100 },
    );
    expect(answer.status).toBe(401);
    expect(code("console")).toBe(`$ curl http://127.0.0.1:4000/api/contracts\n${await answer.text()}\n`);
  });

  it("has a command that makes a signing key", () => {
    const [, command = ""] =
      /`(node --input-type=module -e '[^`]+')`/.exec(readDocument(`packages/${adapter}/README.md`)) ?? [];
    const point = { kty: "EC", crv: "P-256", x: expect.any(String), y: expect.any(String) };
    expect(JSON.parse(type(command))).toEqual({
      kid: expect.any(String),
      publicJwk: point,
      privateJwk: { ...point, d: expect.any(String) },
    });
  });

  /** The tarballs of all our packages stand for the registry, where the one that is named would bring the others. */
  function withTarballs(line: string): string {
    return line.replace(`@authz/${adapter}`, packages.map(({ tarball }) => tarball).join(" "));
  }

  /** What a line prints; it has to succeed. */
  function type(line: string): string {
    const options = { cwd: folder, env: environment(), encoding: "utf8", ...as } as const;
    const { status, stdout, stderr } = spawnSync("sh", ["-c", line], options);
    expect(status, `${line}\n${stdout}\n${stderr}`).toBe(0);
    return stdout;
  }

  /** Nothing of the npm that runs the tests; somebody else has a home of their own. */
  function environment(): NodeJS.ProcessEnv {
    return { PATH: process.env["PATH"], HOME: "uid" in as ? folder : process.env["HOME"] };
  }
});
