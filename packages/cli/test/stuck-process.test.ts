import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type CliWorld, startCliWorld } from "./support/cli-world.js";
import { AUTHZ, buildCli, runAuthz } from "./support/process.js";

beforeAll(() => buildCli());

let world: CliWorld;
/** Lets the first process have its token. */
let release: () => void;
const started: ChildProcess[] = [];
beforeEach(async () => {
  world = await startCliWorld();
  await world.login();
});
afterEach(async () => {
  for (const child of started.splice(0)) child.kill("SIGKILL");
  await world.close();
});

/** Starts a request whose token does not come, and answers when the service has been asked for it. */
async function startStuck(): Promise<ChildProcess> {
  const after = new Promise<void>((resolve) => {
    release = resolve;
  });
  world.service.fail("/oauth/token", { after });
  const child = spawn(process.execPath, [AUTHZ, "request", world.api], { env: environment(), stdio: "pipe" });
  started.push(child);
  await expect.poll(() => world.service.count("/oauth/token"), { timeout: 10_000 }).toBe(1);
  return child;
}

function environment(): Record<string, string> {
  return { ...world.env, AUTHZ_TOKEN_STORE: "file" };
}

async function stateFiles(): Promise<readonly string[]> {
  return (await readdir(join(world.home, "state", "authz"))).sort();
}

/** What is kept, once the process has ended. */
async function keptSession(): Promise<{ refreshToken: string; serviceTokens: object }> {
  const text = await readFile(join(world.home, "state", "authz", "session.json"), "utf8");
  return JSON.parse(text) as { refreshToken: string; serviceTokens: object };
}

// Shorter than the half minute after which the lock of a silent process is anybody's.
describe.skipIf(process.platform === "win32")(
  "while one process is stuck with a token",
  { timeout: 25_000 },
  () => {
    it("that is stopped, the others get one by themselves, and it goes on where it was", async () => {
      const stopped = await startStuck();
      stopped.kill("SIGSTOP");
      const before = await keptSession();
      const others = await Promise.all(
        Array.from({ length: 3 }, () => runAuthz(["request", world.api], { env: environment() })),
      );
      expect(others.map(({ code, stderr }) => [code, stderr])).toEqual([
        [0, ""],
        [0, ""],
        [0, ""],
      ]);
      // One of them asked, and the other two used what it got.
      expect(world.service.count("/oauth/token")).toBe(2);

      const ended = once(stopped, "close");
      release();
      stopped.kill("SIGCONT");
      expect(await ended).toEqual([0, null]);
      const after = await keptSession();
      expect(after.refreshToken).toBe(before.refreshToken);
      expect(Object.keys(after.serviceTokens)).toHaveLength(1);
      expect(await stateFiles()).toEqual(["session.json"]);
      expect((await runAuthz(["request", world.api], { env: environment() })).code).toBe(0);
      expect(world.service.count("/oauth/token")).toBe(2);
    });

    it("that waits for an answer, the others get one by themselves", async () => {
      const waiting = await startStuck();
      const other = await runAuthz(["request", world.api], { env: environment() });
      expect([other.code, other.stderr]).toEqual([0, ""]);
      expect(waiting.exitCode).toBeNull();
      const ended = once(waiting, "close");
      release();
      expect(await ended).toEqual([0, null]);
      expect(await stateFiles()).toEqual(["session.json"]);
    });
  },
);
