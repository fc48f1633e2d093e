/** From an empty Next.js app to a refused and an authorized request: the files of the README, with the packed packages. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createProofSigner, generateEs256KeyPair } from "@authz/dpop";
import { createTestIssuer, type TestIssuer } from "@authz/testing";
import { afterAll, beforeAll, describe, expect, it, type TestContext, vi } from "vitest";
import { findFreePort } from "../../tools/src/network/ports.js";
import { installNext, newestNext, nextProgram, quiet } from "../packaging/next/build-app.js";
import { packPackages, run } from "../packaging/pack.js";
import { startRegistry } from "../packaging/registry.js";
import { codeBlocks } from "./markdown.js";

const blocks = codeBlocks("packages/next/README.md");
const printed = (language: string) => blocks.find((block) => block.language === language)?.code ?? "";
/** What create-next-app puts beside Next.js. */
const beside = ["typescript@5", "@types/node@20", "@types/react@19"];

describe("The README of next", () => {
  let directory: string;
  let folder: string;
  let missing: string | undefined;
  let issuer: TestIssuer;
  let origin: string;
  let server: ChildProcess | undefined;

  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), "authz-quickstart-next-"));
    origin = `http://127.0.0.1:${await findFreePort()}`;
    issuer = await createTestIssuer({
      supportedScopes: ["contracts:read"],
      publicOrigin: origin,
      listen: true,
    });
    try {
      folder = await installNext(directory, newestNext, beside);
    } catch (error) {
      missing = `npm could not install Next.js. ${String(error)}`;
    }
  });
  afterAll(async () => {
    if (server?.pid !== undefined && server.exitCode === null) {
      const ended = once(server, "exit");
      process.kill(-server.pid);
      await ended;
    }
    await issuer.close();
    rmSync(directory, { recursive: true, force: true });
  });

  function skipWithoutNext({ skip }: TestContext): void {
    skip(missing !== undefined, missing);
  }

  it("is installed by what is printed, and Next.js finds no fault with the types of its files", async (context) => {
    skipWithoutNext(context);
    const packages = await packPackages(
      directory,
      ["dpop", "skills", "verify", "next"].map((name) => `packages/${name}`),
    );
    const registry = await startRegistry(packages);
    try {
      await run("sh", ["-c", printed("sh")], folder, { ...process.env, npm_config_registry: registry.url });
    } finally {
      await registry.close();
    }
    const compilerOptions = { strict: true, paths: { "@/*": ["./*"] } };
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions }));
    for (const { mark, code } of blocks.filter(({ language }) => language === "ts")) {
      const path = /^\/\/ (\S+)\n/.exec(code)?.[1];
      if (mark !== "fragment" && path !== undefined) writeSample(path, code);
      if (path?.includes("oauth/")) writeSample(path.replace("oauth", ".well-known"), code);
    }
    const built = await run(process.execPath, [nextProgram, "build"], folder, quiet);
    expect(built).toContain("/api/contracts");
  });

  it("starts, and refuses as is printed", async (context) => {
    skipWithoutNext(context);
    let output = "";
    // A group of its own, so that it ends together with what Next.js starts.
    server = spawn(
      process.execPath,
      [nextProgram, "dev", "--hostname", "127.0.0.1", "--port", new URL(origin).port],
      {
        cwd: folder,
        env: { ...quiet, NODE_ENV: "development" },
        detached: true,
      },
    );
    server.stderr?.on("data", (text: Buffer) => (output += text.toString()));
    server.stdout?.resume();
    const answer = await vi.waitUntil(
      () => {
        if (server?.exitCode !== null) throw new Error(`The sample ended. ${output}`);
        return fetch(`${origin}/api/contracts`).catch(() => undefined);
      },
      { timeout: 60_000, interval: 100 },
    );
    expect(answer.status).toBe(401);
    expect(printed("console")).toBe(`$ curl http://127.0.0.1:4000/api/contracts\n${await answer.text()}\n`);
  });

  it("serves an employee who has exchanged an assertion", async (context) => {
    skipWithoutNext(context);
    const signer = createProofSigner(await generateEs256KeyPair());
    const assertion = issuer.issueAssertion({ subject: "ada", thumbprint: signer.thumbprint });
    const exchanged = await fetch(`${origin}/oauth/token`, {
      method: "POST",
      headers: { dpop: signer.sign({ method: "POST", url: `${origin}/oauth/token` }) },
      body: new URLSearchParams({ grant_type: "urn:ietf:params:oauth:grant-type:jwt-bearer", assertion }),
    });
    const { access_token: accessToken } = (await exchanged.json()) as { access_token: string };
    const url = `${origin}/api/contracts`;
    const answer = await fetch(url, {
      headers: {
        authorization: `DPoP ${accessToken}`,
        dpop: signer.sign({ method: "GET", url, accessToken }),
      },
    });
    expect(await answer.json()).toEqual({ requested_by: "ada", contracts: [] });
  });

  /** With other addresses than those in the document. */
  function writeSample(path: string, code: string): void {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    const addressed = code
      .replaceAll("http://127.0.0.1:3000", issuer.url)
      .replaceAll("4000", new URL(origin).port);
    writeFileSync(join(folder, path), addressed);
  }
});
