import { readFileSync } from "node:fs";
import { mkdtemp, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { compileFunction } from "node:vm";
import { generateEs256KeyPair } from "@authz/dpop";
import { afterEach, beforeEach, expect, it } from "vitest";
import { createClient, createMachineClient, fileStore, memoryStore } from "../src/index.js";
import {
  startTestAuthorizationServer,
  type TestAuthorizationServer,
} from "./support/test-authorization-server.js";
import { githubConnection } from "./support/test-connections.js";
import { startTestService, type TestService } from "./support/test-service.js";
import { visit } from "./support/test-world.js";

const readme = await readFile(join(dirname(fileURLToPath(import.meta.url)), "..", "README.md"), "utf8");
const [quickstart = "", machines = "", connections = ""] = [
  ...readme.matchAll(/```ts(?: fragment)?\n([\s\S]*?)```/g),
].map(([, code]) => code);

/** Runs an example with other addresses and names in place of what it imports. */
async function runExample(
  code: string,
  addresses: Readonly<Record<string, string>>,
  names: Readonly<Record<string, unknown>>,
): Promise<void> {
  let text = code.replace(/^import .*$/gm, "");
  for (const [printed, real] of Object.entries(addresses)) text = text.replaceAll(printed, real);
  const run = compileFunction(`return (async () => { ${text} })()`, Object.keys(names)) as (
    ...values: unknown[]
  ) => Promise<void>;
  await run(...Object.values(names));
}

let server: TestAuthorizationServer;
let service: TestService;
let addresses: Record<string, string>;
let folder: string;
beforeEach(async () => {
  server = await startTestAuthorizationServer();
  service = await startTestService(server);
  folder = await mkdtemp(join(tmpdir(), "authz-readme-"));
  addresses = {
    "https://authz.example.com": server.origin,
    "https://contracts.example.com": service.origin,
    "/home/ada/.local/state/example": folder,
    "/run/secrets": folder,
  };
});
afterEach(async () => {
  await service.close();
  await server.close();
});

it("the quickstart of the README works as printed", async () => {
  const logged: unknown[] = [];
  const console = {
    error: (line: string) => {
      void visit(/http\S+/.exec(line)?.[0] ?? "");
    },
    log: (...values: unknown[]) => logged.push(...values),
  };
  await runExample(quickstart, addresses, { createClient, fileStore, console });
  expect(logged).toEqual([200, { path: "/api/contracts", method: "GET", body: "" }]);
});

it("the example for machines works as printed", async () => {
  const { privateJwk, publicJwk } = await generateEs256KeyPair();
  const clientId = "nightly-report";
  server.machines.push({ clientId, kid: "1", publicJwk, scopes: ["contracts:read"] });
  await writeFile(join(folder, "nightly-report.json"), JSON.stringify({ kid: "1", privateJwk }));
  const logged: unknown[] = [];
  const console = { log: (...values: unknown[]) => logged.push(...values) };
  await runExample(machines, addresses, { createMachineClient, readFileSync, console });
  expect(logged).toEqual([200]);
});

it("the example for connections works as printed", async () => {
  const requestPrefixes = ["https://api.github.com/user"];
  server.connections.items.push(githubConnection({ requestPrefixes }));
  const client = createClient({ issuer: server.origin, store: memoryStore() });
  await client.login({ openBrowser: visit });
  const logged: unknown[] = [];
  const console = { log: (...values: unknown[]) => logged.push(...values) };
  await runExample(connections, addresses, { client, console });
  expect(logged).toEqual([200]);
});
