/**
 * What a request through a connector costs beside the same request without one, and beside a plain proxy made of undici:
 * added time, CPU per request and per megabyte, and memory while 50 large transfers run at the same time.
 *
 *     npm run bench -- connectors [--quick] [--rounds=5]
 */
import { performance } from "node:perf_hooks";
import { findFreePort } from "authz-tools/network";
import { startProcess } from "../child-process.js";
import {
  conditions,
  inWorkplace,
  layOutTable,
  mebibytes,
  medianOf,
  print,
  readOptions,
  showProgress,
} from "../frame.js";
import { startInstallation } from "./installation.js";
import {
  type Case,
  closeConnections,
  measureMemory,
  measureWays,
  sendRequest,
  warmUp,
  type Way,
} from "./way.js";

const kibibyte = 1024;
const mebibyte = 1024 * kibibyte;
const parallel = 50;

const { quick, rounds, endAt, publish } = readOptions({ rounds: [5, 2] });
/** Requests of one round, one after the other. */
const counts = quick ? { small: 50, large: 3 } : { small: 400, large: 12 };
const warmUps = quick
  ? [{ count: 400, atOnce: 16 }]
  : [
      { count: 3000, atOnce: 16 },
      { count: 300, atOnce: 1 },
    ];

/** What one request moves. */
interface Workload {
  readonly title: string;
  readonly method: "GET" | "POST";
  readonly bytes: number;
}

const workloads: readonly Workload[] = [
  { title: "1 KiB down", method: "GET", bytes: kibibyte },
  { title: "1 KiB up", method: "POST", bytes: kibibyte },
  { title: "1 MiB down", method: "GET", bytes: mebibyte },
  { title: "10 MiB down", method: "GET", bytes: 10 * mebibyte },
  { title: "1 MiB up", method: "POST", bytes: mebibyte },
  { title: "10 MiB up", method: "POST", bytes: 10 * mebibyte },
];
const isSmall = ({ bytes }: Workload) => bytes < mebibyte;

await inWorkplace(async (place) => {
  const { keep } = place;
  const api = keep(startProcess(new URL("./api-process.js", import.meta.url)));
  const passThrough = keep(startProcess(new URL("./pass-through-process.js", import.meta.url)));
  keep({ stop: closeConnections });
  const [port, proxyPort] = [await findFreePort(), await findFreePort()];
  const origin = `http://127.0.0.1:${port}`;
  await api.ask({ port });
  await passThrough.ask({ port: proxyPort, origin });
  const { server, url, credentials } = await startInstallation(place, origin);

  const ways = ({ method, bytes }: Workload): readonly Way[] => {
    const target = `/v1/bytes/${bytes}`;
    const moved = method === "GET" ? { expected: bytes } : { body: Buffer.alloc(bytes, "a"), expected: 2 };
    const plain = (base: string) => (count: number) =>
      Array.from({ length: count }, () => ({ url: base + target, headers: {}, ...moved }));
    const connected = async (count: number) =>
      (await credentials(method, count)).map((headers) => ({
        url,
        headers: { ...headers, "authz-target": origin + target },
        ...moved,
      }));
    return [
      { name: "direct", between: undefined, prepare: plain(origin) },
      { name: "undici pass-through", between: passThrough, prepare: plain(`http://127.0.0.1:${proxyPort}`) },
      { name: "authz-server", between: server, prepare: connected },
    ];
  };
  const cases = workloads.flatMap((workload): readonly (Case & { readonly workload: Workload })[] => {
    const count = isSmall(workload) ? counts.small : counts.large;
    return ways(workload).map((way) => ({ title: workload.title, workload, way, count, atOnce: 1 }));
  });
  const small = cases.filter(({ workload }) => isSmall(workload));
  for (const some of warmUps) await warmUp(small.map((one) => ({ ...one, ...some })));
  // What is left of the time is for the memory.
  const samples = await measureWays(cases, { rounds, endAt: endAt * 0.6 });
  const p50 = (index: number) => medianOf(samples[index], (sample) => sample.p50);
  const rows = cases.map(({ title, workload: { bytes }, way }, index) => {
    const cpu = medianOf(samples[index], (sample) => sample.cpuMicroseconds);
    const direct = index - (index % 3);
    return [
      index === direct ? title : "",
      way.name,
      p50(index).toFixed(2),
      index === direct ? "" : (p50(index) - p50(direct)).toFixed(2),
      medianOf(samples[index], (sample) => sample.p99).toFixed(2),
      index === direct ? "" : cpu.toFixed(0),
      index === direct || bytes < mebibyte ? "" : ((cpu / bytes) * mebibyte).toFixed(0),
    ];
  });
  const head = ["", "", "ms", "added", "p99", "CPU µs", "CPU µs/MiB"];
  print(conditions(samples), "", ...layOutTable([head, ...rows.slice(0, small.length)]), "");
  print(...layOutTable([head, ...rows.slice(small.length)]), "");
  print(...layOutTable(await measureTransfers(cases.filter(({ workload }) => !isSmall(workload)))));
  publish(
    [0, 3].map((direct) => {
      const [plain, own] = [p50(direct + 1) - p50(direct), p50(direct + 2) - p50(direct)];
      return {
        what: `Request through a connector, ${cases[direct]?.title}, added`,
        figure: `${own.toFixed(1)} ms`,
        beside: `undici pass-through, ${plain.toFixed(1)} ms`,
        ratio: (own / plain).toFixed(1),
      };
    }),
  );
});

/** If anything kept whole bodies, 50 of them would be 500 MiB. */
async function measureTransfers(cases: readonly Case[]): Promise<readonly (readonly string[])[]> {
  const rows = [["resident MiB", "", "before", "peak", "added", "seconds"]];
  for (const { title, way } of cases) {
    if (way.between === undefined) continue;
    const results = [];
    for (let round = 0; round < rounds; round += 1) {
      if (round > 0 && performance.now() > endAt) break;
      showProgress(`memory: ${parallel} × ${title}, ${way.name}`);
      const requests = await way.prepare(parallel);
      results.push(await measureMemory(way.between, () => Promise.all(requests.map(sendRequest))));
    }
    const before = medianOf(results, (result) => result.before);
    const peak = Math.max(...results.map((result) => result.peak));
    rows.push([
      `${parallel} × ${title}`,
      way.name,
      ...[before, peak, peak - before].map(mebibytes),
      medianOf(results, (result) => result.seconds).toFixed(2),
    ]);
  }
  return rows;
}
