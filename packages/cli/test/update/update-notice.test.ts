import { readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { dirname, join } from "node:path";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { forEachTest } from "../../../client/test/support/for-each-test.js";
import { isNewer } from "../../src/update/update-record.js";
import { type RunOptions, startSignedInWorld } from "../support/cli-world.js";
import { authzProgram, buildCli, runProcess } from "../support/process.js";

const dayMilliseconds = 24 * 3600 * 1000;
const world = forEachTest(startSignedInWorld);
let now: number;
let checks: number;
let file: string;
beforeEach(() => {
  now = Date.now();
  checks = 0;
  file = join(world.home, "cache", "authz", "update.json");
});

/** Runs a command at a terminal, as version 1.2.0. Answers whether an update was spoken of. */
async function speaks(change: RunOptions = {}, args: readonly string[] = ["status"]): Promise<boolean> {
  const { code, stderr } = await world.run(args, {
    terminal: true,
    version: "1.2.0",
    clock: () => now,
    onUpdateCheck: () => {
      checks += 1;
    },
    ...change,
  });
  expect(code).toBe(0);
  return stderr.includes("authz 1.3.0 is available; this is 1.2.0. Update: npm install --global @authz/cli");
}

async function learn(latest: string): Promise<void> {
  await writeFile(file, JSON.stringify({ checkedAt: now, shownAt: 0, latest }), { mode: 0o600 });
}

describe("the notice of a newer version", () => {
  it("has the registry asked once a day, and says nothing before it has answered", async () => {
    expect([await speaks(), await speaks(), checks]).toEqual([false, false, 1]);
    now += dayMilliseconds;
    expect([await speaks(), await speaks(), checks]).toEqual([false, false, 2]);
  });

  it("is shown once a day", async () => {
    await learn("1.3.0");
    expect([await speaks(), await speaks()]).toEqual([true, false]);
    now += dayMilliseconds;
    expect([await speaks(), await speaks()]).toEqual([true, false]);
  });

  it("names the place of the downloads to a program that npm has not installed", async () => {
    await learn("1.3.0");
    const { stderr } = await world.run(["status"], {
      terminal: true,
      version: "1.2.0",
      newVersionsAt: "https://downloads.example",
    });
    expect(stderr).toContain("authz 1.3.0 is available; this is 1.2.0. Update: https://downloads.example");
  });

  it("is not shown for the same or an older version, or for anything that is not a version", async () => {
    for (const latest of ["1.2.0", "1.1.9", "1.3.0-beta.1", "1.3.0\u001b[31m"]) {
      await learn(latest);
      expect(await speaks()).toBe(false);
    }
  });

  const silent: { name: string; change: RunOptions; args?: string[] }[] = [
    { name: "without a terminal", change: { terminal: false } },
    { name: "in continuous integration", change: { env: { CI: "true" } } },
    { name: "when it is switched off", change: { env: { AUTHZ_NO_UPDATE_NOTICE: "1" } } },
    { name: "when all such notices are switched off", change: { env: { NO_UPDATE_NOTIFIER: "1" } } },
    { name: "for programs", change: {}, args: ["status", "--json"] },
    { name: "for agents", change: {}, args: ["status", "--agent"] },
    { name: "for a build that was never released", change: { version: "0.0.0" } },
  ];
  for (const { name, change, args } of silent) {
    it(`is silent, and makes no request, ${name}`, async () => {
      await learn("1.3.0");
      now += dayMilliseconds;
      expect([await speaks(change, args), checks]).toEqual([false, 0]);
    });
  }

  it("never changes how a command ends", async () => {
    await writeFile(file, "{", { mode: 0o600 });
    expect(await speaks()).toBe(false);
    const startUpdateCheck = (): never => {
      throw new Error("no more processes");
    };
    now += dayMilliseconds;
    expect(await speaks({ onUpdateCheck: startUpdateCheck })).toBe(false);
  });

  it("is part of what the doctor says", async () => {
    await learn("1.3.0");
    const { stdout } = await world.run(["doctor", "--json"], { version: "1.2.0" });
    expect(JSON.parse(stdout)).toMatchObject({
      checks: expect.arrayContaining([
        {
          check: "version",
          status: "warning",
          message: "authz 1.2.0; 1.3.0 is available.",
          hint: "Update: npm install --global @authz/cli",
        },
      ]) as unknown,
    });
  });
});

describe("asking the registry", () => {
  beforeAll(() => buildCli());

  /** Runs the process that asks, against a registry of our own. Answers what it was asked and what was remembered. */
  async function ask(status: number, body: string): Promise<{ seen: string[]; latest: unknown }> {
    const seen: string[] = [];
    const registry = createServer((request, response) => {
      seen.push(`${request.method ?? ""} ${request.url ?? ""} ${Object.keys(request.headers).sort().join()}`);
      response.writeHead(status, { "content-type": "application/json" }).end(body);
    });
    await new Promise<void>((resolve) => {
      registry.listen(0, "127.0.0.1", resolve);
    });
    const { port } = registry.address() as AddressInfo;
    const env = { ...world.env, npm_config_registry: `http://127.0.0.1:${String(port)}/` };
    const script = join(dirname(authzProgram), "check-update.js");
    expect(await runProcess(process.execPath, [script], { env })).toEqual({
      code: 0,
      stdout: "",
      stderr: "",
    });
    registry.close();
    const text = await readFile(file, "utf8").catch(() => "{}");
    return { seen, latest: (JSON.parse(text) as { latest?: unknown }).latest };
  }

  it("sends nothing but the name of the package, and remembers the newest version", async () => {
    expect(await ask(200, '{"latest":"1.3.0","next":"2.0.0-rc.1"}')).toEqual({
      seen: ["GET /-/package/@authz%2fcli/dist-tags accept,connection,host"],
      latest: "1.3.0",
    });
  });

  it("is silent without a network, and asks again the next day only", async () => {
    const script = join(dirname(authzProgram), "check-update.js");
    // Nothing listens on port 9, so the connection is refused as it is without a network.
    const env = { ...world.env, npm_config_registry: "http://127.0.0.1:9/" };
    const quiet = { code: 0, stdout: "", stderr: "" };
    expect(await runProcess(process.execPath, [script], { env })).toEqual(quiet);
    expect([await speaks(), await speaks(), checks]).toEqual([false, false, 1]);
    now += dayMilliseconds;
    expect([await speaks(), checks]).toEqual([false, 2]);
  });

  const useless = [
    { name: "a refusal", status: 404, body: '{"latest":"1.3.0"}' },
    { name: "no JSON", status: 200, body: "<html>" },
    { name: "null", status: 200, body: "null" },
    { name: "no version", status: 200, body: '{"latest":"\\u001b[31m"}' },
    { name: "too much", status: 200, body: JSON.stringify({ latest: "1.3.0", more: "x".repeat(70_000) }) },
  ];
  for (const { name, status, body } of useless) {
    it(`remembers nothing of ${name}`, async () => {
      expect((await ask(status, body)).latest).toBeUndefined();
    });
  }
});

describe("the order of versions", () => {
  it("goes by numbers, not by letters", () => {
    expect(isNewer("1.10.0", "1.9.9")).toBe(true);
    expect(isNewer("2.0.0", "10.0.0")).toBe(false);
    expect(isNewer("1.0.0", "1.0.0")).toBe(false);
    expect(isNewer("1.0.0", "0.9.0-dev")).toBe(false);
  });
});

describe("authz --version", () => {
  it("prints the version, and nothing else", async () => {
    const plain = await world.run(["--version"], { version: "1.2.0" });
    expect(plain).toEqual({ code: 0, stdout: "1.2.0\n", stderr: "" });
    const json = await world.run(["--version", "--json"], { version: "1.2.0" });
    expect(JSON.parse(json.stdout)).toEqual({ version: "1.2.0" });
  });
});
