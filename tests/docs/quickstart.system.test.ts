/** From nothing to a refused request: what the READMEs of the adapters have typed first, in an empty folder, as root and as somebody without any rights. */
import type { ChildProcess } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createTestIssuer, type TestIssuer } from "@authz/testing";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { findFreePort } from "../../tools/src/network/ports.js";
import { packPackages, runTool } from "../packaging/pack.js";
import { type LocalRegistry, registryProblem, startRegistry } from "../packaging/registry.js";
import { EmptyComputer, end, withoutRights } from "./empty-computer.js";
import { typeBlock } from "./printed-blocks.js";
import { codeBlocks, readDocument } from "./markdown.js";

const sdk = ["dpop", "skills", "verify", "express", "koa", "fastify", "hono"].map(
  (name) => `packages/${name}`,
);
/** Each adapter as whoever runs the tests; one also as somebody without any rights, where only root can be that. */
const tries = [
  { adapter: "express", as: {} },
  { adapter: "koa", as: {} },
  { adapter: "fastify", as: {} },
  { adapter: "hono", as: {} },
  ...("uid" in withoutRights ? [{ adapter: "express", as: withoutRights }] : []),
];

let problem: string | undefined;
let packed: string;
let registry: LocalRegistry | undefined;

beforeAll(async () => {
  problem = await registryProblem();
  if (problem !== undefined) return;
  packed = mkdtempSync(join(tmpdir(), "authz-quickstart-"));
  registry = await startRegistry(await packPackages(packed, sdk));
});
beforeEach(({ skip }) => {
  skip(problem !== undefined, problem);
});
afterAll(async () => {
  if (registry === undefined) return;
  await registry.close();
  rmSync(packed, { recursive: true, force: true });
});

describe.each(tries)("The README of $adapter, as $as", ({ adapter, as }) => {
  const page = `packages/${adapter}/README.md`;
  const blocks = codeBlocks(page);
  const code = (language: string) => blocks.find((block) => block.language === language)?.code ?? "";
  let computer: EmptyComputer | undefined;
  let folder: string;
  let origin: string;
  let issuer: TestIssuer;
  let server: ChildProcess | undefined;

  beforeAll(async () => {
    if (registry === undefined) return;
    computer = new EmptyComputer(registry.url, as);
    folder = computer.folder("service");
    origin = `http://127.0.0.1:${await findFreePort()}`;
    issuer = await createTestIssuer({
      supportedScopes: ["contracts:read"],
      publicOrigin: origin,
      listen: true,
    });
  });
  afterAll(async () => {
    if (computer === undefined) return;
    await end(server);
    await issuer.close();
    computer.remove();
  });

  it("is installed by what is printed, with types for its sample", async () => {
    await typeBlock(page, "npm install", async (line) => await computer?.type(line, folder));
    await computer?.type("npm pkg set type=module", folder);
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
    await typeBlock(page, "node server.mjs", async (line) => {
      server = computer?.start(line, folder);
      server?.stderr?.on("data", (text: Buffer) => (output += text.toString()));
    });
    await vi.waitUntil(
      () => {
        if (server?.exitCode !== null) throw new Error(`The sample ended. ${output}`);
        return fetch(`${origin}/api/contracts`).catch(() => undefined);
      },
      { timeout: 60_000, interval: 100 },
    );
    const [answer] = await typeBlock(page, "curl http", async (line) => ({
      line,
      said: await computer?.type(line.replace("http://127.0.0.1:4000", origin), folder),
    }));
    expect(code("console")).toBe(`$ ${answer?.line}\n${answer?.said}\n`);
  });

  it("has a command that makes a signing key", async () => {
    const [, command = ""] = /`(node --input-type=module -e '[^`]+')`/.exec(readDocument(page)) ?? [];
    const point = { kty: "EC", crv: "P-256", x: expect.any(String), y: expect.any(String) };
    expect(JSON.parse((await computer?.type(command, folder)) ?? "")).toEqual({
      kid: expect.any(String),
      publicJwk: point,
      privateJwk: { ...point, d: expect.any(String) },
    });
  });
});
