/** The command as a process: exit codes, log, signals. */
import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { LogLine } from "./support/proxy.js";
import { keySet, keySetPath, respondKeySet, startUpstream, type TestUpstream } from "./support/upstream.js";
import { findFreePort } from "../../tools/src/network/ports.js";

const root = fileURLToPath(new URL("../..", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "authz-proxy-test-"));
const caFile = join(folder, "ca.pem");
const running: ChildProcess[] = [];
let upstream: TestUpstream;

beforeAll(async () => {
  // The command imports the build.
  execFileSync(process.execPath, [join(root, "node_modules/typescript/bin/tsc"), "-b", join(root, "proxy")]);
  upstream = await startUpstream();
  writeFileSync(caFile, upstream.ca);
});

afterEach(() => {
  upstream.respond = respondKeySet;
  for (const child of running) child.kill("SIGKILL");
});

afterAll(async () => {
  await upstream.close();
  rmSync(folder, { recursive: true });
});

interface ProxyProcess {
  readonly log: readonly LogLine[];
  readonly stderr: () => string;
  readonly kill: (signal: NodeJS.Signals) => void;
  /** Resolves with the exit code. */
  readonly exited: Promise<number | null>;
  /** Resolves with the first line whose message matches, or rejects when the process ends without it. */
  until(message: RegExp): Promise<LogLine>;
}

function startProcess(env: Record<string, string>): ProxyProcess {
  const child = spawn(process.execPath, [join(root, "proxy/bin/authz-discovery-proxy.js")], {
    env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  running.push(child);
  const log: LogLine[] = [];
  const lines = createInterface(child.stdout);
  lines.on("line", (line) => log.push(JSON.parse(line) as LogLine));
  let stderr = "";
  child.stderr.on("data", (text) => (stderr += String(text)));
  const exited = once(child, "close").then(([code]) => code as number | null);
  return {
    log,
    stderr: () => stderr,
    kill: (signal) => child.kill(signal),
    exited,
    async until(message) {
      const find = () => log.find(({ msg }) => message.test(msg));
      for (let line = find(); ; line = find()) {
        if (line !== undefined) return line;
        const ended = await Promise.race([once(lines, "line"), exited.then(() => "ended" as const)]);
        if (ended === "ended") throw new Error(`The proxy ended without a line that matches ${message}`);
      }
    },
  };
}

async function startReady(
  environment: Record<string, string> = {},
): Promise<ProxyProcess & { origin: string }> {
  const proxy = startProcess({
    AUTHZ_UPSTREAM: upstream.origin,
    AUTHZ_UPSTREAM_CA_FILE: caFile,
    AUTHZ_PROXY_PORT: "0",
    ...environment,
  });
  const { port } = await proxy.until(/is listening/);
  return { ...proxy, origin: `http://127.0.0.1:${String(port)}` };
}

describe("arguments", () => {
  const ask = (...args: string[]) =>
    spawnSync(process.execPath, [join(root, "proxy/bin/authz-discovery-proxy.js"), ...args], {
      env: {},
      encoding: "utf8",
    });

  it.each(["--help", "-h"])("%s names every variable and starts nothing", (flag) => {
    const { status, stdout, stderr } = ask(flag);
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    for (const name of [
      "AUTHZ_UPSTREAM",
      "AUTHZ_UPSTREAM_CA_FILE",
      "AUTHZ_FORWARD_STATUS_LIST",
      "AUTHZ_PROXY_PORT",
    ])
      expect(stdout).toContain(name);
  });

  it.each(["--version", "-V"])("%s prints the version", (flag) => {
    const { version } = JSON.parse(readFileSync(join(root, "proxy/package.json"), "utf8")) as {
      version: string;
    };
    expect(ask(flag)).toMatchObject({ status: 0, stdout: `${version}\n`, stderr: "" });
  });

  it("refuses everything else, because settings come from the environment", () => {
    expect(ask("--port", "1")).toMatchObject({
      status: 2,
      stdout: "",
      stderr: expect.stringContaining('knows no "--port"') as string,
    });
  });
});

describe("start", () => {
  it("logs where it listens and what it forwards to, as JSON", async () => {
    const proxy = await startReady();
    expect(proxy.log).toEqual([
      {
        level: 30,
        time: expect.any(Number) as number,
        port: expect.any(Number) as number,
        upstream: upstream.origin,
        msg: "The proxy is listening.",
      },
    ]);
    expect(await (await fetch(`${proxy.origin}${keySetPath}`)).text()).toBe(keySet);
    expect(proxy.stderr()).toBe("");
  });

  it("goes on when the disk of its log is full", async () => {
    const port = await findFreePort();
    const full = openSync("/dev/full", "w");
    const child = spawn(process.execPath, [join(root, "proxy/bin/authz-discovery-proxy.js")], {
      env: {
        AUTHZ_UPSTREAM: upstream.origin,
        AUTHZ_UPSTREAM_CA_FILE: caFile,
        AUTHZ_PROXY_PORT: String(port),
      },
      stdio: ["ignore", full, "ignore"],
    });
    closeSync(full);
    running.push(child);
    const ask = async () => {
      const response = await fetch(`http://127.0.0.1:${port}${keySetPath}`).catch(() => undefined);
      return await response?.text();
    };
    await expect.poll(ask, { timeout: 10_000 }).toBe(keySet);
    expect(await ask()).toBe(keySet);
    child.kill("SIGTERM");
    expect(await once(child, "close")).toEqual([0, null]);
  });

  it.each([
    { name: "a missing upstream", env: {}, variables: "AUTHZ_UPSTREAM" },
    { name: "plain http", env: { AUTHZ_UPSTREAM: "http://a.example" }, variables: "AUTHZ_UPSTREAM" },
    {
      name: "a missing CA file",
      env: { AUTHZ_UPSTREAM: "https://a.example", AUTHZ_UPSTREAM_CA_FILE: "/nowhere/ca.pem" },
      variables: "AUTHZ_UPSTREAM_CA_FILE",
    },
    {
      name: "a bad upstream and a bad port",
      env: { AUTHZ_UPSTREAM: "a", AUTHZ_PROXY_PORT: "b" },
      variables: "AUTHZ_UPSTREAM,AUTHZ_PROXY_PORT",
    },
  ])("exits with 1 and names the variable for $name", async ({ env, variables }) => {
    const proxy = startProcess(env);
    expect(await proxy.exited).toBe(1);
    expect(proxy.log).toHaveLength(1);
    expect(proxy.log[0]).toMatchObject({ level: 60, variables });
    for (const variable of variables.split(",")) expect(proxy.log[0]?.msg).toContain(`${variable}: `);
  });

  it("exits with 1 and says what to do when its port is taken", async () => {
    const taken = createServer().listen(0);
    await once(taken, "listening");
    const { port } = taken.address() as AddressInfo;
    const proxy = startProcess({ AUTHZ_UPSTREAM: upstream.origin, AUTHZ_PROXY_PORT: String(port) });
    expect(await proxy.exited).toBe(1);
    expect(proxy.log[0]?.msg).toContain("Set AUTHZ_PROXY_PORT to another one.");
    taken.close();
  });

  it("does not need the upstream to start", async () => {
    const proxy = await startReady({ AUTHZ_UPSTREAM: "https://127.0.0.1:1" });
    expect((await fetch(`${proxy.origin}${keySetPath}`)).status).toBe(502);
  });

  it("verifies with Node's own CA bundle: NODE_EXTRA_CA_CERTS adds to it", async () => {
    const proxy = await startReady({ AUTHZ_UPSTREAM_CA_FILE: "", NODE_EXTRA_CA_CERTS: caFile });
    expect((await fetch(`${proxy.origin}${keySetPath}`)).status).toBe(200);
  });
});

describe("stop", () => {
  it.each(["SIGTERM", "SIGINT"] as const)(
    "ends at once and with 0 at %s when nothing runs",
    async (signal) => {
      const proxy = await startReady();
      // The connection of this request stays open, idle.
      await (await fetch(`${proxy.origin}${keySetPath}`)).text();
      proxy.kill(signal);
      expect(await proxy.exited).toBe(0);
      expect(proxy.log.at(-1)?.msg).toBe("The proxy has stopped.");
    },
  );

  it("lets running requests end, takes no new ones, and ends with 0", async () => {
    const proxy = await startReady();
    const released = new Promise<() => void>((resolve) => {
      upstream.respond = (response) => resolve(() => respondKeySet(response));
    });
    const answering = fetch(`${proxy.origin}${keySetPath}`);
    const release = await released;
    proxy.kill("SIGTERM");
    await proxy.until(/running requests end first/);
    await expect(fetch(`${proxy.origin}${keySetPath}`)).rejects.toThrow("fetch failed");
    release();
    const answer = await answering;
    expect(answer.headers.get("connection")).toBe("close");
    expect(await answer.text()).toBe(keySet);
    expect(await proxy.exited).toBe(0);
  });

  it("ends at once at a second signal", async () => {
    const proxy = await startReady();
    const arrived = new Promise<void>((resolve) => {
      upstream.respond = () => resolve();
    });
    const answering = fetch(`${proxy.origin}${keySetPath}`).catch(() => "cut");
    await arrived;
    proxy.kill("SIGTERM");
    await proxy.until(/running requests end first/);
    proxy.kill("SIGTERM");
    expect(await proxy.exited).toBeNull();
    expect(await answering).toBe("cut");
  });
});
