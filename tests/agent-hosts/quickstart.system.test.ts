import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { probeService } from "../../reference-server/src/registry/probes/probe-service.js";
import { say } from "../../reference-server/test/support/faults.js";
import { findFreePort } from "../../tools/src/network/ports.js";
import { connectPresentAgent } from "./test-agent.js";
import { startWorld, type World } from "./world.js";

const root = fileURLToPath(new URL("../../", import.meta.url));
const page = readFileSync(join(root, "docs/tutorials/protect-an-mcp-server.md"), "utf8");

let world: World;
let origin: string;
let folder: string;
let server: ChildProcess;

/** The block that the page tells to save, with the addresses of this test in place of those of the page. */
beforeAll(async () => {
  world = await startWorld();
  origin = `http://127.0.0.1:${await findFreePort()}`;
  const block = /^```js\n([^]*?)^```$/m.exec(page)?.[1] ?? "";
  const program = block
    .replaceAll("http://127.0.0.1:3000", world.system.issuer)
    .replaceAll("http://127.0.0.1:3200", origin)
    .replace("listen(3200", `listen(${new URL(origin).port}`);
  // Below the packages of the repository, which stand for those that the page installs.
  folder = mkdtempSync(join(root, "node_modules", ".quickstart-"));
  writeFileSync(join(folder, "server.mjs"), program);
  server = spawn(process.execPath, ["server.mjs"], { cwd: folder, stdio: ["ignore", "inherit", "inherit"] });
  await vi.waitUntil(() => fetch(`${origin}/mcp`).catch(() => undefined), { timeout: 60_000, interval: 100 });
});

afterAll(async () => {
  server.kill();
  rmSync(folder, { recursive: true, force: true });
  await world.close();
});

test("what the page prints can be registered as the console drafts it, and used by a host that knows only its address", async () => {
  const { context } = world.system.server;
  const now = new Date();
  const { ready, resource } = await probeService(
    { address: origin },
    { context, now, say: (message) => say(message, "en") },
  );
  expect(resource).toMatchObject({ resource: `${origin}/mcp`, allowsBearer: true });
  expect(ready).toBe(true);
  if (resource !== null) {
    const record = { ...resource, id: randomUUID(), builtIn: false };
    await context.store.resources.save(record, now);
  }

  const agent = await connectPresentAgent(await world.startHost("ada"), new URL("/mcp", origin));
  expect(await agent.callText("whoami")).toBe("You are Ada Lovelace.");
  await agent.close();
});

test("a request without a token is answered as the page says", async () => {
  const answer = await fetch(`${origin}/mcp`, { method: "POST" });
  const printed = /^www-authenticate: (Bearer .*, )DPoP …$/m.exec(page)?.[1] ?? "";
  expect(answer.status).toBe(401);
  expect(answer.headers.get("www-authenticate")).toContain(
    printed.replaceAll("http://127.0.0.1:3200", origin),
  );
});
