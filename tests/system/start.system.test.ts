import { existsSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { Browser } from "../../tools/src/scriptless/browser.js";
import { type DemoResult, findProblems } from "../../tools/src/demo/result.js";
import { signIn } from "../../tools/src/demo/sign-in.js";
import { originOf } from "../../tools/src/development/settings.js";
import { findPlace, type Place, runScript, type Script } from "./whole-system.js";

/** On Linux the variable BROWSER names the browser; elsewhere a real one would open. */
const opensTheBrowserOfOurChoice = process.platform === "linux";

/** Waits for something that another process does; fails when it has not happened after a while. */
const eventually = { timeout: 240_000, interval: 100 };

describe("npm run demo", () => {
  let place: Place;

  beforeAll(async () => {
    place = await findPlace();
  });

  afterAll(() => {
    place.remove();
  });

  test("prints one JSON object of what came back over the wire, and leaves nothing running", async () => {
    const { code, stdout, stderr } = await runScript(place, "node", "tools/demo.mjs", "--json").ended;
    expect({ code, stderr }).toMatchObject({ code: 0 });
    const result = JSON.parse(stdout) as DemoResult;
    expect(findProblems(result)).toEqual([]);
    expect(Object.keys(result)).toEqual(["subject", "skills", "services", "mcp", "agents"]);
    expect(Object.keys(result.services.koa)).toEqual([
      "unauthenticated",
      "authorized",
      "replayed",
      "missing_scope",
      "body",
    ]);
    expect(await place.portsInUse()).toEqual([]);
  });

  test("refuses an option it does not have", async () => {
    const { code, stdout, stderr } = await runScript(place, "node", "tools/demo.mjs", "--jsno").ended;
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toContain("--jsno is not an option");
  });
});

describe("npm start", () => {
  let place: Place;
  let system: Script;

  beforeAll(async () => {
    place = await findPlace();
    system = runScript(place, "node", "tools/start.mjs");
    await system.untilPrinted("Ctrl-C stops everything.");
  });

  afterAll(async () => {
    system.child.kill("SIGKILL");
    await system.ended;
    await untilNothingListens(place);
    place.remove();
  });

  test.runIf(opensTheBrowserOfOurChoice)(
    "shows nothing but a refusal to somebody without permissions",
    async () => {
      const visited = browserOf({ ...place, env: { ...place.env, AUTHZ_TOKEN_STORE: "file" } });
      const issuer = originOf(place.settings, "server");
      const args = ["login", "--issuer", issuer, "--profile", "clara"];
      const signedIn = runScript(visited.place, "node_modules/.bin/authz", ...args);
      await signIn(new Browser(), await visited.opened(), { person: "clara" });
      const { code, stdout, stderr } = await signedIn.ended;
      expect({ code, stdout }).toEqual({ code: 4, stdout: "" });
      expect(stderr).toContain("administrator");
    },
  );

  test("serves a demonstration, which leaves it running", async () => {
    const { code, stdout } = await runScript(place, "node", "tools/demo.mjs", "--json").ended;
    expect(code).toBe(0);
    expect(findProblems(JSON.parse(stdout) as DemoResult)).toEqual([]);
    expect(await place.portsInUse()).toHaveLength(8);
  });

  test("says so when it already runs", async () => {
    const { code, stderr } = await runScript(place, "node", "tools/start.mjs").ended;
    expect(code).toBe(1);
    expect(stderr).toContain(`The system is already running from this folder (process ${system.child.pid})`);
  });

  test("stops everything on Ctrl-C, although npm delivers it twice", async () => {
    system.child.kill("SIGINT");
    system.child.kill("SIGINT");
    expect(await system.ended).toMatchObject({
      code: 0,
      stderr: expect.stringContaining("✓ First sign-ins and requests") as string,
    });
    expect(await place.portsInUse()).toEqual([]);
  });

  test("starts again with what it knew, and goes down in words when a part dies", async () => {
    system = runScript(place, "node", "tools/start.mjs");
    await system.untilPrinted("Ctrl-C stops everything.");
    const postmaster = join(place.settings.stateDirectory, "postgres", "postmaster.pid");
    process.kill(Number.parseInt(readFileSync(postmaster, "utf8"), 10), "SIGKILL");
    const { code, stderr } = await system.ended;
    expect(code).toBe(1);
    expect(stderr).toContain("PostgreSQL stopped unexpectedly");
    expect(stderr).not.toContain("First sign-ins");
    expect(await place.portsInUse()).toEqual([]);
  });

  test("stops everything when npm is asked to end", async () => {
    system = runScript(place, "npm", "start");
    await system.untilPrinted("Ctrl-C stops everything.");
    system.child.kill("SIGTERM");
    await system.ended;
    await untilNothingListens(place);
    // The last thing that it does: not one part was left alone.
    const record = join(place.settings.stateDirectory, "running.json");
    await vi.waitUntil(() => !existsSync(record), eventually);
    expect(await place.portsInUse()).toEqual([]);
  });

  test("leaves nothing running when it is killed, and recovers", async () => {
    system = runScript(place, "node", "tools/start.mjs");
    await system.untilPrinted("Ctrl-C stops everything.");
    system.child.kill("SIGKILL");
    await system.ended;
    await untilNothingListens(place);
    expect(await place.portsInUse()).toEqual([]);
  });
});

describe("a port that is taken", () => {
  let place: Place;
  let stranger: Server;

  beforeAll(async () => {
    place = await findPlace();
    stranger = createServer();
    await new Promise<void>((resolve) => {
      stranger.listen(place.settings.ports.koa, "127.0.0.1", resolve);
    });
  });

  afterAll(() => {
    stranger.close();
    place.remove();
  });

  test("is named, with what needs it and the way out", async () => {
    const { code, stderr } = await runScript(place, "node", "tools/start.mjs").ended;
    expect(code).toBe(1);
    expect(stderr).toContain(
      `Port ${place.settings.ports.koa} on 127.0.0.1 is taken; Contracts (Koa) needs it.`,
    );
    expect(stderr).toContain("AUTHZ_DEV_PORT_OFFSET=1000 npm start");
  });
});

/** A stand-in for the person's browser: it writes the address that it is asked to open into a file. */
function browserOf(place: Place): { place: Place; opened(): Promise<URL> } {
  const folder = mkdtempSync(join(place.env["HOME"] ?? "", "browser-"));
  const addressFile = join(folder, "address");
  const program = join(folder, "browser");
  writeFileSync(
    program,
    `#!/bin/sh\nprintf %s "$1" > ${addressFile}.new && mv ${addressFile}.new ${addressFile}\n`,
    {
      mode: 0o755,
    },
  );
  const opened = async (): Promise<URL> =>
    new URL(await vi.waitUntil(() => readFileIfThere(addressFile), eventually));
  return { place: { ...place, env: { ...place.env, BROWSER: program } }, opened };
}

async function untilNothingListens(place: Place): Promise<void> {
  await vi.waitUntil(async () => (await place.portsInUse()).length === 0, eventually);
}

function readFileIfThere(file: string): string {
  return existsSync(file) ? readFileSync(file, "utf8").trim() : "";
}
