/**
 * The discovery proxy beside nginx without its cache, both in front of the same HTTPS upstream. The proxies have one
 * core, the upstream and the load generator another. Rounds are interleaved; the figures are medians.
 *
 *     npm run bench -- proxy [--short] [--seconds 5] [--rounds 7]
 */
import type { ChildProcess } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { makeCertificate } from "../certificate.js";
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
import { type Contender, type Sample, summarize } from "./summary.js";

const proxyCore = 0;
const loadCore = 1;
const ports = { fresh: 20_443, noStore: 20_444, nginx: 20_081, sharing: 20_082, forwarding: 20_083 };

const { values } = parseArgs({
  options: {
    short: { type: "boolean", default: false },
    seconds: { type: "string" },
    rounds: { type: "string" },
  },
});
const seconds = Number(values.seconds ?? (values.short ? 1 : 5));
const rounds = Number(values.rounds ?? (values.short ? 1 : 7));

interface RunningContender extends Contender {
  readonly url: string;
  readonly process: ChildProcess;
  readonly samples: Sample[];
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
    for (const contender of contenders) measure(contender, 1);
    for (let round = 1; round <= rounds; round += 1) {
      for (const contender of contenders) {
        process.stderr.write(`round ${round} of ${rounds}: ${contender.name}\n`);
        contender.samples.push(measure(contender, seconds));
      }
    }
    process.stdout.write(`${summarize(contenders)}\n`);
  } finally {
    for (const child of running.toReversed()) await stop(child);
    rmSync(folder, { recursive: true });
  }
}

async function startContenders(folder: string, running: ChildProcess[]): Promise<RunningContender[]> {
  async function start(
    name: string,
    port: number,
    { command, env = {} }: Started,
  ): Promise<RunningContender> {
    const child = await startOnCore(proxyCore, command, { port, env });
    running.push(child);
    return { name, url: `http://127.0.0.1:${port}${paths[0]}`, process: child, samples: [] };
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

function measure({ process: child, url }: RunningContender, durationSeconds: number): Sample {
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
