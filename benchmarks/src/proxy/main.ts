/**
 * The discovery proxy beside nginx without its cache, both in front of the same HTTPS upstream. The proxies have one
 * core, the upstream and the load generator another. Rounds are interleaved; the figures are medians.
 *
 *     npm run bench -- proxy [--quick] [--seconds 5] [--rounds 7]
 */
import type { ChildProcess } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { makeCertificate } from "../certificate.js";
import { inTurns, readOptions } from "../frame.js";
import { nginxProxyCommand, paths, upstreamCommand } from "./nginx.js";
import {
  generateLoad,
  missingPrograms,
  proxyCommand,
  startOnCore,
  stop,
  usageOf,
  withChildren,
} from "./programs.js";
import { figuresOf, type Sample, summarize } from "./summary.js";

const proxyCore = 0;
const loadCore = 1;
const ports = { fresh: 20_443, noStore: 20_444, nginx: 20_081, sharing: 20_082, forwarding: 20_083 };

const { rounds, seconds, endAt, publish } = readOptions({ rounds: [7, 1], seconds: [5, 1] });

interface Contender {
  readonly name: string;
  readonly url: string;
  readonly process: ChildProcess;
}

const missing = missingPrograms();
if (missing === undefined) await compare();
else process.stdout.write(`${missing}\n`);

async function compare(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "authz-bench-"));
  const running: ChildProcess[] = [];
  try {
    makeCertificate(folder);
    running.push(await startOnCore(loadCore, upstreamCommand(folder, ports), { port: ports.fresh }));
    const contenders = await startContenders(folder, running);
    const turns = contenders.map((contender) => ({
      name: contender.name,
      take: (round: number) => measure(contender, round === 0 ? 1 : seconds),
    }));
    const samples = await inTurns(turns, { rounds, endAt });
    const names = contenders.map(({ name }) => name);
    process.stdout.write(`${summarize(names, samples)}\n`);
    publish(figuresOf(names, samples));
  } finally {
    for (const child of running.toReversed()) await stop(child);
    rmSync(folder, { recursive: true });
  }
}

async function startContenders(folder: string, running: ChildProcess[]): Promise<Contender[]> {
  async function start(name: string, port: number, { command, env = {} }: Started): Promise<Contender> {
    const child = await startOnCore(proxyCore, command, { port, env });
    running.push(child);
    return { name, url: `http://127.0.0.1:${port}${paths[0]}`, process: child };
  }
  const ours = (port: number, upstream: number): Started => ({
    command: proxyCommand(),
    env: {
      AUTHZ_UPSTREAM: `https://127.0.0.1:${upstream}`,
      AUTHZ_UPSTREAM_CA_FILE: join(folder, "cert.pem"),
      AUTHZ_PROXY_PORT: String(port),
    },
  });
  const nginx = nginxProxyCommand(folder, { port: ports.nginx, upstream: ports.fresh });
  return [
    await start("nginx, no cache", ports.nginx, { command: nginx }),
    await start("authz-discovery-proxy", ports.sharing, ours(ports.sharing, ports.fresh)),
    await start("the same, upstream says no-store", ports.forwarding, ours(ports.forwarding, ports.noStore)),
  ];
}

interface Started {
  readonly command: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
}

function measure({ process: child, url }: Contender, durationSeconds: number): Sample {
  const pids = withChildren(child);
  const before = usageOf(pids);
  const load = generateLoad(loadCore, url, durationSeconds);
  const after = usageOf(pids);
  return {
    requestsPerSecond: load.requestsPerSecond,
    p99Milliseconds: load.p99Milliseconds,
    cpuMicroseconds: (after.cpuMicroseconds - before.cpuMicroseconds) / load.requests,
    peakBytes: after.peakBytes,
    privateBytes: after.privateBytes,
  };
}
