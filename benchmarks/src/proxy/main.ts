/**
 * The discovery proxy beside nginx, without its cache and with it, in front of the same HTTPS upstream, and beside what
 * `node:http` can do at all. The proxies have one core, the upstream and the load generator another. Rounds are
 * interleaved; the figures are medians.
 *
 *     npm run bench -- proxy [--quick] [--seconds 5] [--rounds 7]
 */
import type { ChildProcess } from "node:child_process";
import { chmodSync } from "node:fs";
import { join } from "node:path";
import { makeCertificate } from "../certificate.js";
import {
  conditions,
  inTurns,
  inWorkplace,
  layOutTable,
  mebibytes,
  medianOf,
  print,
  readOptions,
  type Workplace,
} from "../frame.js";
import { nginxProxyCommand, paths, upstreamCommand } from "./nginx.js";
import {
  bareCommand,
  generateLoad,
  missingPrograms,
  proxyCommand,
  startOnCore,
  usageOf,
  withChildren,
} from "./programs.js";

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

/** What one run of one proxy showed. */
interface Sample {
  readonly requestsPerSecond: number;
  readonly p99Milliseconds: number;
  readonly cpuMicroseconds: number;
  readonly peakBytes: number;
  readonly privateBytes: number;
}

const missing = missingPrograms();
if (missing === undefined) await inWorkplace(compare);
else print(missing);

async function compare({ folder, keep }: Workplace): Promise<void> {
  // The worker of an nginx that root starts is another user, and its cache is in here.
  chmodSync(folder, 0o711);
  makeCertificate(folder);
  keep(await startOnCore(loadCore, upstreamCommand(folder, ports), { port: ports.fresh }));
  const start = async (name: string, port: number, command: readonly string[], env = {}) => {
    const started = keep(await startOnCore(proxyCore, command, { port, env }));
    return { name, url: `http://127.0.0.1:${port}${paths[0]}`, process: started.process };
  };
  const nginx = (port: number, cache: boolean) =>
    nginxProxyCommand(folder, { port, upstream: ports.fresh, cache });
  const ours = async (name: string, port: number, upstream: number) =>
    await start(name, port, proxyCommand(), {
      AUTHZ_UPSTREAM: `https://127.0.0.1:${upstream}`,
      AUTHZ_UPSTREAM_CA_FILE: join(folder, "cert.pem"),
      AUTHZ_PROXY_PORT: String(port),
    });
  const contenders: readonly Contender[] = [
    await start("nginx, no cache", ports.nginx, nginx(ports.nginx, false)),
    await start("nginx, from its cache", ports.nginxCache, nginx(ports.nginxCache, true)),
    await start("bare node:http, the same bytes", ports.bare, bareCommand(), { PORT: String(ports.bare) }),
    await ours("authz-discovery-proxy", ports.sharing, ports.fresh),
    await ours("the same, upstream says no-store", ports.forwarding, ports.noStore),
  ];
  const turns = contenders.map((contender) => ({
    name: contender.name,
    take: (round: number) => (round === 0 ? warmUp(contender) : measure(contender, seconds)),
  }));
  const samples = await inTurns(turns, { rounds, endAt });
  const of = (index: number, member: keyof Sample) => medianOf(samples[index], (sample) => sample[member]);
  const ofNginx = (index: number, member: keyof Sample) => (of(index, member) / of(0, member)).toFixed(2);
  const most = (index: number, member: keyof Sample) =>
    mebibytes(Math.max(...(samples[index] ?? []).map((sample) => sample[member])));
  const head = ["", "req/s", "of nginx", "p99 ms", "CPU µs/req", "of nginx", "peak RSS MiB", "private MiB"];
  const rows = contenders.map(({ name }, index) => [
    name,
    of(index, "requestsPerSecond").toFixed(0),
    ofNginx(index, "requestsPerSecond"),
    of(index, "p99Milliseconds").toFixed(1),
    of(index, "cpuMicroseconds").toFixed(1),
    ofNginx(index, "cpuMicroseconds"),
    most(index, "peakBytes"),
    most(index, "privateBytes"),
  ]);
  print(`${conditions(samples)} One core each.`, "", ...layOutTable([head, ...rows]));
  const [first, ...others] = contenders;
  publish(
    others.map(({ name }, index) => ({
      what: `Requests per second, ${name}`,
      figure: of(index + 1, "requestsPerSecond").toFixed(0),
      beside: first?.name ?? "",
      ratio: ofNginx(index + 1, "requestsPerSecond"),
    })),
  );
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
