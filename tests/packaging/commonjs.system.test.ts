/** TypeScript that compiles to CommonJS, by strangers' compilers: which settings take the packages as they are, and what then runs. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readDocument } from "../docs/markdown.js";
import { packPackages, run } from "./pack.js";

/** A service that is typed: the compiler would not miss an error if the types were lost on the way. */
const service = `
import { generateEs256KeyPair, inMemory, initAuthz } from "@authz/express";
import express = require("express");

async function main(): Promise<void> {
  const authz = initAuthz("http://127.0.0.1:3000", {
    publicOrigin: "http://127.0.0.1:4000",
    clientId: "authz-cli",
    supportedScopes: ["contracts:read"],
    signingKey: { kid: "development", ...(await generateEs256KeyPair()) },
    replayStore: inMemory(),
    allowInsecureLoopback: true,
    log: (event) => {
      if (event.type !== "refused") return;
      // @ts-expect-error -- a reason is a text
      const wrong: number = event.reason;
      console.log(wrong);
    },
  });
  const app = express();
  authz.registerRoutes(app);
  app.get("/api/contracts", authz.requireAuth({ scopes: ["contracts:read"] }), (req, res) => {
    res.json({ requested_by: req.auth.identity.subject });
  });
  console.log("It runs.");
}
void main();
`;

describe("A CommonJS service in TypeScript", () => {
  let folder: string;
  const compile = (...settings: readonly string[]): Promise<string> =>
    run(
      process.execPath,
      [
        "node_modules/typescript/bin/tsc",
        "service.ts",
        "--target",
        "es2022",
        "--strict",
        "--skipLibCheck",
        "--outDir",
        "built",
        ...settings,
      ],
      folder,
    );

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "authz-commonjs-"));
    const sdk = ["dpop", "skills", "verify", "express"].map((name) => `packages/${name}`);
    const tarballs = (await packPackages(folder, sdk)).map(({ tarball }) => tarball);
    await writeFile(join(folder, "package.json"), '{ "private": true }');
    await writeFile(join(folder, "service.ts"), service);
    const others = ["express@5", "@types/express@5", "@types/node@20", "typescript@5.9"];
    const quiet = ["--prefer-offline", "--no-audit", "--no-fund", "--loglevel=error"];
    await run("npm", ["install", ...quiet, ...tarballs, ...others], folder);
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it.each([
    { settings: ["--module", "nodenext"] },
    { settings: ["--module", "node20"] },
    { settings: ["--module", "commonjs"] },
    { settings: ["--module", "commonjs", "--moduleResolution", "node10"] },
  ])("compiles with $settings, and runs", async ({ settings }) => {
    await compile(...settings);
    expect(await run(process.execPath, ["built/service.js"], folder)).toBe("It runs.\n");
  });

  it.each(["node16", "node18"])("is refused by --module %s, as the documentation says", async (module) => {
    await expect(compile("--module", module)).rejects.toThrow("TS1479");
    expect(readDocument("docs/reference/service.md")).toContain(`\`${module}\``);
  });
});
