/** A service with tests in Jest, as @authz/testing says to set it up: in CommonJS, whose packages Jest does not compile unless told to. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { codeBlocks } from "../docs/markdown.js";
import { packPackages, run } from "./pack.js";

const service = `
import { type AuthzOptions, initAuthz } from "@authz/express";
import express = require("express");

export function createApp(issuer: string, options: AuthzOptions): express.Express {
  const authz = initAuthz(issuer, options);
  const app = express();
  authz.registerRoutes(app);
  app.get("/api/contracts", authz.requireAuth({ scopes: ["contracts:read"] }), (req, res) => {
    res.json({ requested_by: req.auth.identity.subject });
  });
  return app;
}
`;
const tests = `
import type { AddressInfo } from "node:net";
import { createTestIssuer, type TestIssuer } from "@authz/testing";
import { createApp } from "./app";

let issuer: TestIssuer;
beforeAll(async () => {
  issuer = await createTestIssuer({ supportedScopes: ["contracts:read"] });
  const doNotFake = ["nextTick", "setImmediate", "clearImmediate", "setTimeout", "clearTimeout", "setInterval", "clearInterval", "queueMicrotask", "performance", "hrtime"] as const;
  jest.useFakeTimers({ now: new Date("2035-01-01"), doNotFake: [...doNotFake] });
});

it("answers who may read", async () => {
  const server = createApp(issuer.url, issuer.options).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const url = "http://127.0.0.1:" + (server.address() as AddressInfo).port + "/api/contracts";
  const headers = await issuer.signRequest({ url: "/api/contracts", subject: "ada" });
  const answer = await fetch(url, { headers: { ...headers } });
  expect([answer.status, await answer.json()]).toEqual([200, { requested_by: "ada" }]);
  expect((await fetch(url)).status).toBe(401);
  server.closeAllConnections();
  server.close();
});
`;

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "authz-jest-"));
  const sdk = ["dpop", "skills", "verify", "express", "testing"].map((name) => `packages/${name}`);
  const tarballs = (await packPackages(folder, sdk)).map(({ tarball }) => tarball);
  const config = codeBlocks("packages/testing/README.md").find(({ code }) =>
    code.includes("// jest.config.js"),
  );
  const settings = { module: "commonjs", target: "es2022", esModuleInterop: true, isolatedModules: true };
  const files = {
    "package.json": '{ "private": true }',
    "tsconfig.json": JSON.stringify({ compilerOptions: { ...settings, strict: true, skipLibCheck: true } }),
    "jest.config.js": config?.code ?? "",
    "app.ts": service,
    "app.test.ts": tests,
  };
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  const types = ["@types/express@5", "@types/jest@30", "@types/node@20"];
  const jest = ["jest@30", "ts-jest@29", "typescript@5.9", "@babel/plugin-transform-modules-commonjs@7"];
  const quiet = ["--prefer-offline", "--no-audit", "--no-fund", "--loglevel=error"];
  await run("npm", ["install", ...quiet, ...tarballs, "express@5", ...types, ...jest], folder);
}, 300_000);
afterAll(() => rm(folder, { recursive: true, force: true }));

it("runs with the settings of the README", async () => {
  // Jest reports on stderr; a test that fails makes it end with another code than 0.
  await expect(run(process.execPath, ["node_modules/jest/bin/jest.js"], folder)).resolves.toBeDefined();
}, 120_000);
