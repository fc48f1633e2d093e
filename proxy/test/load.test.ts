/** Many callers at once, for longer than a response is fresh: each gets a response, with few requests to the upstream. */
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { Agent, get, type IncomingMessage } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { describe, expect, it, vi } from "vitest";
import { startProxy } from "./support/proxy.js";
import { keySet, keySetHeaders, keySetPath, respondKeySet, startUpstream } from "./support/upstream.js";

const root = fileURLToPath(new URL("../..", import.meta.url));
const connections = 64;

/** Callers that ask again as soon as they are answered, each on a connection of its own. */
function startCallers(port: number) {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const answers: (number | string | undefined)[] = [];
  const end = new AbortController();
  async function ask(): Promise<number | string | undefined> {
    const request = get({ port, path: keySetPath, agent });
    const [response] = (await once(request, "response")) as [IncomingMessage];
    let body = "";
    response.setEncoding("utf8").on("data", (text: string) => (body += text));
    await once(response, "end");
    return response.statusCode === 200 && body !== keySet ? body : response.statusCode;
  }
  async function keepAsking(): Promise<void> {
    while (!end.signal.aborted) {
      answers.push(await ask().catch((error: unknown) => String(error)));
    }
  }
  const running = Promise.all(Array.from({ length: connections }, keepAsking));
  return {
    answers,
    /** Returns once each of them can have asked since. */
    async goOn(): Promise<void> {
      const enough = answers.length + 2 * connections;
      await vi.waitUntil(() => answers.length >= enough, { interval: 1, timeout: 60_000 });
    },
    async end(): Promise<void> {
      end.abort();
      await running;
      agent.destroy();
    },
  };
}

describe("64 callers that never stop asking", () => {
  it("all get 200 each time an answer ends, although the upstream fails twice before the next one", async () => {
    const upstream = await startUpstream((response) => {
      const turn = upstream.seen.length % 3;
      if (turn === 1) respondKeySet(response);
      else if (turn === 2) response.destroy();
      else response.writeHead(503).end();
    });
    const proxy = await startProxy(upstream);
    const callers = startCallers(proxy.port);
    const lifetimes = 3;
    for (let seconds = 0; seconds < lifetimes * 300; seconds += 5) {
      await callers.goOn();
      proxy.advance(5);
    }
    await callers.end();
    expect(callers.answers.filter((answer) => answer !== 200)).toEqual([]);
    expect(upstream.seen.length).toBeGreaterThanOrEqual(lifetimes * 3);
    expect(upstream.seen.length).toBeLessThanOrEqual((lifetimes + 1) * 3);
    await proxy.close();
    await upstream.close();
  }, 120_000);

  it("all get 200 from a process as the image starts it, in little memory of its own", async () => {
    const upstream = await startUpstream((response) =>
      response.writeHead(200, { ...keySetHeaders, "Cache-Control": "max-age=1" }).end(keySet),
    );
    const proxy = await startAsInImage(upstream);
    const callers = startCallers(proxy.port);
    await sleep(4_000);
    await callers.goOn();
    await callers.end();
    expect(callers.answers.filter((answer) => answer !== 200)).toEqual([]);
    expect(upstream.seen.length).toBeGreaterThanOrEqual(4);
    expect(upstream.seen.length).toBeLessThanOrEqual(8);
    expect(privateMebibytes(proxy.pid)).toBeLessThan(32);
    await proxy.end();
    await upstream.close();
  }, 60_000);
});

async function startAsInImage({ origin, ca }: { readonly origin: string; readonly ca: string }) {
  const folder = mkdtempSync(join(tmpdir(), "authz-proxy-test-"));
  const caFile = join(folder, "ca.pem");
  writeFileSync(caFile, ca);
  // The command imports the build.
  execFileSync(process.execPath, [join(root, "node_modules/typescript/bin/tsc"), "-b", join(root, "proxy")]);
  const [, entry = ""] =
    /^ENTRYPOINT (\[.*\])$/m.exec(readFileSync(join(root, "proxy/Dockerfile"), "utf8")) ?? [];
  const [, ...command] = JSON.parse(entry) as string[];
  const child = spawn(process.execPath, command, {
    cwd: root,
    env: { AUTHZ_UPSTREAM: origin, AUTHZ_UPSTREAM_CA_FILE: caFile, AUTHZ_PROXY_PORT: "0" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const lines = createInterface(child.stdout);
  const [line] = (await once(lines, "line")) as [string];
  return {
    pid: child.pid ?? 0,
    port: (JSON.parse(line) as { port: number }).port,
    end: async () => {
      child.kill();
      await once(child, "close");
      rmSync(folder, { recursive: true });
    },
  };
}

/** Without the pages of Node's own file, which the system can drop and processes share. Only Linux tells; elsewhere it is 0. */
function privateMebibytes(pid: number): number {
  if (process.platform !== "linux") return 0;
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  return Number(/^RssAnon:\s+(\d+) kB$/m.exec(status)?.[1]) / 1024;
}
