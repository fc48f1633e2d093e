import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, test, vi } from "vitest";
import { type CliWorld, startCliWorld } from "./support/cli-world.js";
import { authzProgram, buildCli, runAuthz } from "./support/process.js";

beforeAll(() => buildCli());

/** A person who is signed in, and a process of theirs that waits for its token. */
interface StuckWorld extends CliWorld {
  /** Starts a request whose token does not come, and returns when the service has been asked for it. */
  startStuck(): Promise<ChildProcess>;
  /** Gives that process its token. */
  release(): void;
}

const it = test.extend<{ world: StuckWorld }>({
  // oxlint-disable-next-line no-empty-pattern -- vitest reads the names of fixtures from this pattern
  world: async ({}, use) => {
    const world = await startCliWorld();
    await world.login();
    const started: ChildProcess[] = [];
    let release: () => void = () => undefined;
    await use({
      ...world,
      startStuck: async () => {
        const after = new Promise<void>((resolve) => {
          release = resolve;
        });
        world.service.fail("/oauth/token", { after });
        const env = environment(world);
        const child = spawn(process.execPath, [authzProgram, "request", world.api], { env, stdio: "pipe" });
        started.push(child);
        await vi.waitUntil(() => world.service.count("/oauth/token") === 1, { timeout: 10_000 });
        return child;
      },
      release: () => release(),
    });
    for (const child of started) child.kill("SIGKILL");
    await world.close();
  },
});

function environment(world: CliWorld): Record<string, string> {
  return { ...world.env, AUTHZ_TOKEN_STORE: "file" };
}

async function stateFiles(world: CliWorld): Promise<readonly string[]> {
  return (await readdir(join(world.home, "state", "authz"))).sort();
}

/** What is kept, once the process has ended. */
async function keptSession(world: CliWorld): Promise<{ refreshToken: string; serviceTokens: object }> {
  const text = await readFile(join(world.home, "state", "authz", "session.json"), "utf8");
  return JSON.parse(text) as { refreshToken: string; serviceTokens: object };
}

// Shorter than the half minute after which the lock of a silent process is taken over. Concurrent: both wait for five seconds.
describe.skipIf(process.platform === "win32")(
  "while one process is stuck with a token",
  { concurrent: true, timeout: 25_000 },
  () => {
    it("that is stopped, the others get one by themselves, and it goes on where it was", async ({
      world,
    }) => {
      const stopped = await world.startStuck();
      stopped.kill("SIGSTOP");
      const before = await keptSession(world);
      const others = await Promise.all(
        Array.from({ length: 3 }, () => runAuthz(["request", world.api], { env: environment(world) })),
      );
      expect(others.map(({ code, stderr }) => [code, stderr])).toEqual([
        [0, ""],
        [0, ""],
        [0, ""],
      ]);
      // One of them asked, and the other two used what it got.
      expect(world.service.count("/oauth/token")).toBe(2);

      const ended = once(stopped, "close");
      world.release();
      stopped.kill("SIGCONT");
      expect(await ended).toEqual([0, null]);
      const after = await keptSession(world);
      expect(after.refreshToken).toBe(before.refreshToken);
      expect(Object.keys(after.serviceTokens)).toHaveLength(1);
      expect(await stateFiles(world)).toEqual(["session.json"]);
      expect((await runAuthz(["request", world.api], { env: environment(world) })).code).toBe(0);
      expect(world.service.count("/oauth/token")).toBe(2);
    });

    it("that waits for an answer, the others get one by themselves", async ({ world }) => {
      const waiting = await world.startStuck();
      const other = await runAuthz(["request", world.api], { env: environment(world) });
      expect([other.code, other.stderr]).toEqual([0, ""]);
      expect(waiting.exitCode).toBeNull();
      const ended = once(waiting, "close");
      world.release();
      expect(await ended).toEqual([0, null]);
      expect(await stateFiles(world)).toEqual(["session.json"]);
    });
  },
);
