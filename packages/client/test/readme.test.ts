import { mkdtemp, readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { compileFunction } from "node:vm";
import { expect, it } from "vitest";
import { createClient, fileStore } from "../src/index.js";
import { startTestAuthorizationServer } from "./support/test-authorization-server.js";
import { startTestService } from "./support/test-service.js";
import { visit } from "./support/test-world.js";

it("the quickstart of the README works as printed", async () => {
  const readme = await readFile(join(dirname(fileURLToPath(import.meta.url)), "..", "README.md"), "utf8");
  const server = await startTestAuthorizationServer();
  const service = await startTestService(server);
  const folder = await mkdtemp(join(tmpdir(), "authz-readme-"));
  const code = (/```ts\n([\s\S]*?)```/.exec(readme)?.[1] ?? "")
    .replace(/^import .*$/m, "")
    .replace("https://authz.example.com", server.origin)
    .replace("https://contracts.example.com", service.origin)
    .replace("/home/ada/.local/state/example", folder);
  const logged: unknown[] = [];
  const console = {
    error: (line: string) => {
      void visit(/http\S+/.exec(line)?.[0] ?? "");
    },
    log: (...values: unknown[]) => {
      logged.push(...values);
    },
  };
  const run = compileFunction(`return (async () => { ${code} })()`, [
    "createClient",
    "fileStore",
    "console",
  ]) as (...args: unknown[]) => Promise<void>;
  await run(createClient, fileStore, console);
  expect(logged).toEqual([200, { path: "/api/contracts", method: "GET", body: "" }]);
  await service.close();
  await server.close();
});
