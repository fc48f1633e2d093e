/**
 * The discovery proxy beside nginx, without its cache and with it, in front of the same HTTPS upstream, and beside what
 * `node:http` can do at all. The proxies have one core, the upstream and the load generator another. Rounds are
 * interleaved; the figures are medians.
 *
 *     npm run bench -- proxy [--quick] [--seconds 5] [--rounds 7]
 */
import type { ChildProcess } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { makeCertificate } from "../certificate.js";
import { inTurns, readOptions } from "../frame.js";
import { nginxProxyCommand, paths, upstreamCommand } from "./nginx.js";
import {
  bareCommand,
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
/** By then, V8 has compiled what it will. */
const warmUpRequests = 30_000;
const warmUpTurns = 8;
const ports = {
  fresh: 20_443,
  noStore: 20_444,
  nginx: 20_081,
  sharing: 20_082,
  forwarding: 20_083,
  nginxCache: 20_084,
  bare: 20_085,
};

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
    // The worker of an nginx that root starts is somebody else, and its cache is in here.
    chmodSync(folder, 0o711);
    makeCertificate(folder);
    running.push(await startOnCore(loadCore, upstreamCommand(folder, ports), { port: ports.fresh }));
    const contenders = await startContenders(folder, running);
    const turns = contenders.map((contender) => ({
      name: contender.name,
      take: (round: number) => (round === 0 ? warmUp(contender) : measure(contender, seconds)),
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
  const nginx = (port: number, cache: boolean): Started => ({
    command: nginxProxyCommand(folder, { port, upstream: ports.fresh, cache }),
  });
  const bare: Started = { command: bareCommand(), env: { PORT: String(ports.bare) } };
  return [
    await start("nginx, no cache", ports.nginx, nginx(ports.nginx, false)),
    await start("nginx, from its cache", ports.nginxCache, nginx(ports.nginxCache, true)),
    await start("bare node:http, the same bytes", ports.bare, bare),
    await start("authz-discovery-proxy", ports.sharing, ours(ports.sharing, ports.fresh)),
    await start("the same, upstream says no-store", ports.forwarding, ours(ports.forwarding, ports.noStore)),
  ];
}

interface Started {
  readonly command: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
}

/** For as many requests as it takes; on a busy machine, as many as there is time for. */
function warmUp(contender: Contender): Sample {
  let sample = measure(contender, 1);
  let requests = sample.requestsPerSecond;
  for (let turn = 1; turn < warmUpTurns && requests < warmUpRequests; turn += 1) {
    sample = measure(contender, 1);
    requests += sample.requestsPerSecond;
  }
  return sample;
}

function measure({ process: child, url }: Contender, durationSeconds: number): Sample {
  const before = usageOf(withChildren(child));
  const load = generateLoad(loadCore, url, durationSeconds);
  // Once more: a helper that filled nginx's cache may have ended.
  const after = usageOf(withChildren(child));
  return {
    requestsPerSecond: load.requestsPerSecond,
    p99Milliseconds: load.p99Milliseconds,
    cpuMicroseconds: (after.cpuMicroseconds - before.cpuMicroseconds) / load.requests,
    peakBytes: after.peakBytes,
    privateBytes: after.privateBytes,
  };
}
