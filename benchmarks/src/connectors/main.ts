/**
 * What a request through a connector costs beside the same request without one, and beside a plain proxy made of undici:
 * added time, CPU per request and per megabyte, and memory while 50 large transfers run at the same time.
 *
 *     npm run bench -- connectors [--quick] [--rounds=5]
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { findFreePort } from "authz-tools/network";
import {
  conditions,
  inTurns,
  layOutTable,
  mebibytes,
  median,
  medianOf,
  readOptions,
  tell,
} from "../frame.js";
import { startProcess } from "../grants/child-process.js";
import type { Figure } from "../table.js";
import { type Installation, startInstallation } from "./installation.js";
import { peakWhile, residentBytes } from "./memory.js";
import { closeClient, type Participant, send, type Workload } from "./participant.js";

const kibibyte = 1024;
const mebibyte = 1024 * kibibyte;
const parallel = 50;
/** Of the participants. */
const names = ["direct", "undici pass-through", "authz-server"] as const;

const { quick, rounds, endAt, publish } = readOptions({ rounds: [5, 2] });
/** Requests of one round, one after the other. */
const counts = quick ? { small: 50, large: 3 } : { small: 400, large: 12 };

/**
 * Before anything is counted, each way: until then the compiler of the measured process is what is measured. Many at a time are quick, and
 * the last ones go one at a time, as those that are counted.
 */
const warmUps = quick
  ? [{ requests: 400, atOnce: 16 }]
  : [
      { requests: 3000, atOnce: 16 },
      { requests: 300, atOnce: 1 },
    ];

const latencyWorkloads: readonly Workload[] = [
  { name: "1 KiB down", method: "GET", bytes: kibibyte },
  { name: "1 KiB up", method: "POST", bytes: kibibyte },
];
const transferWorkloads: readonly Workload[] = [
  { name: "1 MiB down", method: "GET", bytes: mebibyte },
  { name: "10 MiB down", method: "GET", bytes: 10 * mebibyte },
  { name: "1 MiB up", method: "POST", bytes: mebibyte },
  { name: "10 MiB up", method: "POST", bytes: 10 * mebibyte },
];

const folder = mkdtempSync(join(tmpdir(), "authz-bench-connectors-"));
const api = startProcess(new URL("./api-process.js", import.meta.url), []);
const passThrough = startProcess(new URL("./pass-through-process.js", import.meta.url), []);
let installation: Installation | undefined;
try {
  const apiPort = await findFreePort();
  const origin = `http://127.0.0.1:${apiPort}`;
  await api.ask({ port: apiPort });
  const proxyPort = await findFreePort();
  await passThrough.ask({ port: proxyPort, origin });
  installation = await startInstallation(folder, origin);
  const participants = defineParticipants({ origin, proxyPort, installation });
  for (const participant of participants) await warm(participant);
  const times = await measureTimes(participants);
  const lines = [
    conditions(times.flatMap(({ samples }) => samples)),
    "",
    ...layOutTimes(times.slice(0, latencyWorkloads.length)),
    "",
    ...layOutTimes(times.slice(latencyWorkloads.length)),
    "",
    ...(await measureMemory(participants)),
    "",
  ];
  process.stdout.write(lines.join("\n"));
  publish(latencyWorkloads.flatMap((_, index) => figuresOf(times[index])));
} finally {
  await closeClient();
  await installation?.stop();
  await passThrough.stop();
  await api.stop();
  rmSync(folder, { recursive: true, force: true });
}

function defineParticipants(parts: {
  readonly origin: string;
  readonly proxyPort: number;
  readonly installation: Installation;
}): readonly Participant[] {
  const { origin, proxyPort } = parts;
  const plain = (base: string) => async (workload: Workload, count: number) =>
    Array.from({ length: count }, () => ({ url: `${base}/v1/bytes/${workload.bytes}`, headers: {} }));
  return [
    { name: names[0], process: undefined, prepare: plain(origin) },
    { name: names[1], process: passThrough, prepare: plain(`http://127.0.0.1:${proxyPort}`) },
    {
      name: names[2],
      process: parts.installation.server,
      async prepare({ method, bytes }, count) {
        const target = { "authz-target": `${origin}/v1/bytes/${bytes}` };
        const credentials = await parts.installation.credentials(method, count);
        return credentials.map((headers) => ({
          url: parts.installation.url,
          headers: { ...headers, ...target },
        }));
      },
    },
  ];
}

interface Sample {
  readonly milliseconds: number;
  readonly p99: number;
  readonly cpuMicroseconds: number;
}

/** The samples of all participants, in their order. */
interface Times {
  readonly workload: Workload;
  readonly samples: readonly (readonly Sample[])[];
}

/** One request at a time. What is left of the time is for the memory. */
async function measureTimes(participants: readonly Participant[]): Promise<readonly Times[]> {
  const workloads = [...latencyWorkloads, ...transferWorkloads];
  const turns = workloads.flatMap((workload, index) =>
    participants.map((participant) => ({
      name: `${workload.name}, ${participant.name}`,
      take: () =>
        takeTurn(participant, workload, index < latencyWorkloads.length ? counts.small : counts.large),
    })),
  );
  const samples = await inTurns(turns, { rounds, endAt: endAt * 0.6 });
  return workloads.map((workload, index) => ({
    workload,
    samples: samples.slice(index * participants.length, (index + 1) * participants.length),
  }));
}

function layOutTimes(times: readonly Times[]): readonly string[] {
  const rows: string[][] = [["", "", "ms", "added", "p99", "CPU µs", "CPU µs/MiB"]];
  for (const { workload, samples } of times) {
    const direct = millisecondsOf(samples[0]);
    for (const [index, name] of names.entries()) {
      const own = samples[index] ?? [];
      const cpu = medianOf(own, (sample) => sample.cpuMicroseconds);
      rows.push([
        index === 0 ? workload.name : "",
        name,
        millisecondsOf(own).toFixed(2),
        index === 0 ? "" : (millisecondsOf(own) - direct).toFixed(2),
        medianOf(own, (sample) => sample.p99).toFixed(2),
        index === 0 ? "" : cpu.toFixed(0),
        index === 0 || workload.bytes < mebibyte ? "" : ((cpu / workload.bytes) * mebibyte).toFixed(0),
      ]);
    }
  }
  return layOutTable(rows);
}

function figuresOf(times: Times | undefined): readonly Figure[] {
  if (times === undefined) return [];
  const [direct, plain, own] = times.samples.map(millisecondsOf) as [number, number, number];
  return [
    {
      what: `Request through a connector, ${times.workload.name}, added`,
      figure: `${(own - direct).toFixed(1)} ms`,
      beside: `${names[1]}, ${(plain - direct).toFixed(1)} ms`,
      ratio: ((own - direct) / (plain - direct)).toFixed(1),
    },
  ];
}

function millisecondsOf(samples: readonly Sample[] = []): number {
  return medianOf(samples, ({ milliseconds }) => milliseconds);
}

async function takeTurn(participant: Participant, workload: Workload, count: number): Promise<Sample> {
  const requests = await participant.prepare(workload, count);
  const before = await participant.process?.usage();
  const times: number[] = [];
  for (const request of requests) {
    const started = performance.now();
    await send(workload, request);
    times.push(performance.now() - started);
  }
  const after = await participant.process?.usage();
  times.sort((a, b) => a - b);
  return {
    milliseconds: median(times),
    p99: times[Math.floor((times.length - 1) * 0.99)] ?? Number.NaN,
    cpuMicroseconds: ((after?.cpuMicroseconds ?? 0) - (before?.cpuMicroseconds ?? 0)) / count,
  };
}

async function warm(participant: Participant): Promise<void> {
  for (const { requests, atOnce } of warmUps) {
    for (const workload of latencyWorkloads) {
      tell(`warming up: ${workload.name}, ${participant.name}, ${atOnce} at a time`);
      const left = (await participant.prepare(workload, requests)).values();
      await Promise.all(
        Array.from({ length: atOnce }, async () => {
          for (const request of left) await send(workload, request);
        }),
      );
    }
  }
}

/** If anything kept whole bodies, 50 of them would be 500 MiB. */
async function measureMemory(participants: readonly Participant[]): Promise<readonly string[]> {
  const rows: string[][] = [["resident MiB", "", "before", "peak", "added", "seconds"]];
  for (const { method, bytes, name } of transferWorkloads) {
    for (const participant of participants) {
      const { process: between } = participant;
      if (between === undefined) continue;
      const pid = between.process.pid;
      const results: { before: number; peak: number; seconds: number }[] = [];
      for (let round = 0; round < rounds; round += 1) {
        if (round > 0 && performance.now() > endAt) break;
        tell(`memory: ${parallel} × ${name}, ${participant.name}`);
        const requests = await participant.prepare({ name, method, bytes }, parallel);
        const before = residentBytes(pid) ?? Number.NaN;
        const started = performance.now();
        const peak = await peakWhile(pid, async () => {
          await Promise.all(requests.map((request) => send({ name, method, bytes }, request)));
        });
        const seconds = (performance.now() - started) / 1000;
        results.push({ before, peak: peak ?? Number.NaN, seconds });
      }
      const before = medianOf(results, (result) => result.before);
      const peak = Math.max(...results.map((result) => result.peak));
      rows.push([
        participant.name === names[1] ? `${parallel} × ${name}` : "",
        participant.name,
        mebibytes(before),
        mebibytes(peak),
        mebibytes(peak - before),
        medianOf(results, (result) => result.seconds).toFixed(2),
      ]);
    }
  }
  return layOutTable(rows);
}
