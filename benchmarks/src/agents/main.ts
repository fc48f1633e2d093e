/**
 * What a call costs that an agent makes through the server, beside the same call made directly, through a plain proxy made of
 * undici, and through a connection; and whether 200 agents at once all get their answers.
 *
 *     npm run bench -- agents [--quick] [--rounds=5] [--profile=FOLDER]
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { findFreePort } from "authz-tools/network";
import { startInstallation } from "../connectors/installation.js";
import { conditions, inTurns, layOutTable, median, medianOf, readOptions, tell } from "../frame.js";
import { type AnsweringProcess, startProcess } from "../grants/child-process.js";
import { type People, seedPeople, type SignedIn, signIn } from "./agents.js";
import { callAtOnce, layOutCrowd } from "./crowd.js";
import { closeClient, type PreparedCall, send, toolCall } from "./calls.js";
import { answerBytes } from "./protected-api.js";

const agents = 200;
const { quick, rounds, endAt, own, publish } = readOptions({ rounds: [5, 2] }, ["profile"]);
/** Calls of one turn. */
const count = quick ? 200 : 400;
/** How many of them are under way: one, as on a quiet server, or as on one that is at work. */
const paces = [1, 16] as const;
/**
 * Before anything is counted, at each pace, the quick one first: until then the compiler of the measured process is part of what is
 * measured. After 2,000 calls it still works in another thread, and a call costs up to a half more than in the end.
 */
const warmUp: Readonly<Record<(typeof paces)[number], number>> = quick
  ? { 1: 0, 16: 600 }
  : { 1: 600, 16: 4000 };
const inRow = 20;
/** Of each agent when all of them call at once, one after the other. */
const each = quick ? 10 : 20;

interface Participant {
  readonly name: string;
  /** What is in between; `undefined`: nothing. */
  readonly between: AnsweringProcess | undefined;
  /** So many calls; made before the clock starts. */
  readonly prepare: (count: number) => Promise<readonly PreparedCall[]>;
}

interface Sample {
  readonly p50: number;
  readonly p99: number;
  readonly perSecond: number;
  readonly cpuMicroseconds: number;
}

const folder = mkdtempSync(join(tmpdir(), "authz-bench-agents-"));
const service = startProcess(new URL("./service-process.js", import.meta.url), []);
const passThrough = startProcess(new URL("../connectors/pass-through-process.js", import.meta.url), []);
let stop: (() => Promise<void>) | undefined;
try {
  const [servicePort, proxyPort] = [await findFreePort(), await findFreePort()];
  const origin = `http://127.0.0.1:${servicePort}`;
  let people: People | undefined;
  const installation = await startInstallation(folder, origin, {
    seed: async (context, database) => {
      people = await seedPeople(context, database, { origin, agents });
    },
    execArgv: own["profile"] === undefined ? [] : ["--cpu-prof", `--cpu-prof-dir=${own["profile"]}`],
  });
  stop = () => installation.stop();
  const { issuer, server } = installation;
  await service.ask({ port: servicePort, issuer });
  await passThrough.ask({ port: proxyPort, origin });
  const mcpUrl = `${issuer}/mcp`;
  const signedIn = await Promise.all(
    (people?.agents ?? []).map((agent) => signIn(agent, { issuer, resource: mcpUrl })),
  );
  const [direct] = await Promise.all(
    (people?.direct ?? []).map((app) => signIn(app, { issuer, resource: origin })),
  );
  const path = `/protected/bytes/${answerBytes}`;
  const target = `${origin}${path}`;
  /** Of agent after agent, some in a row: the first one of an agent finds no open connection to the service. */
  const callsOfAgents = (amount: number) =>
    Array.from({ length: amount }, (_, index) => {
      const { credentials } = signedIn[Math.floor(index / inRow) % agents] as SignedIn;
      return toolCall(mcpUrl, target, credentials("POST", mcpUrl));
    });
  const asClient = (base: string) => async (amount: number) =>
    Array.from({ length: amount }, () => ({
      url: `${base}${path}`,
      headers: (direct as SignedIn).credentials("GET", target),
    }));
  const participants: readonly Participant[] = [
    { name: "direct", between: undefined, prepare: asClient(origin) },
    {
      name: "undici pass-through",
      between: passThrough,
      prepare: asClient(`http://127.0.0.1:${proxyPort}`),
    },
    {
      name: "connection",
      between: server,
      prepare: async (amount) =>
        (await installation.credentials("GET", amount)).map((headers) => ({
          url: installation.url,
          headers: { ...headers, "authz-target": `${origin}/v1/bytes/${answerBytes}` },
        })),
    },
    { name: "agent", between: server, prepare: async (amount) => callsOfAgents(amount) },
  ];
  for (const atOnce of paces.toReversed()) {
    for (const participant of participants) {
      tell(`warming up: ${participant.name}, ${atOnce} at a time`);
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      await takeTurn(participant, { calls: warmUp[atOnce], atOnce });
    }
  }
  const turns = paces.flatMap((atOnce) => participants.map((participant) => ({ participant, atOnce })));
  const samples = await inTurns(
    turns.map(({ participant, atOnce }) => ({
      name: `${participant.name}, ${atOnce} at a time`,
      take: () => takeTurn(participant, { calls: count, atOnce }),
    })),
    { rounds, endAt: endAt * 0.7 },
  );
  const samplesAt = (pace: number) =>
    samples.slice(pace * participants.length, (pace + 1) * participants.length);
  const crowd = await callAtOnce({
    server,
    postgresUrl: installation.postgresUrl,
    calls: signedIn.map(({ credentials }) =>
      Array.from({ length: each }, () => toolCall(mcpUrl, target, credentials("POST", mcpUrl))),
    ),
  });
  const tables = paces.flatMap((atOnce, pace) => [...layOut(participants, samplesAt(pace), atOnce), ""]);
  const lines = [conditions(samples), "", ...tables, ...layOutCrowd(crowd), ""];
  process.stdout.write(lines.join("\n"));
  const cpuOf = (index: number) => medianOf(samplesAt(0)[index] ?? [], (sample) => sample.cpuMicroseconds);
  publish(
    [2, 3].map((index) => ({
      what: `Call through ${index === 2 ? "a connection" : "the address for agents"}, 1 KiB, added CPU`,
      figure: `${(cpuOf(index) / 1000).toFixed(2)} ms`,
      beside: `undici pass-through, ${(cpuOf(1) / 1000).toFixed(2)} ms`,
      ratio: (cpuOf(index) / cpuOf(1)).toFixed(1),
    })),
  );
  if (crowd.lost > 0 || crowd.recorded !== crowd.calls) process.exitCode = 1;
} finally {
  await closeClient();
  await stop?.();
  await passThrough.stop();
  await service.stop();
  rmSync(folder, { recursive: true, force: true });
}

async function takeTurn(
  { between, prepare }: Participant,
  { calls: amount, atOnce }: { readonly calls: number; readonly atOnce: number },
): Promise<Sample> {
  const calls = await prepare(amount);
  const before = await between?.usage();
  const times: number[] = [];
  const begun = performance.now();
  const left = calls.values();
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (const call of left) {
        const started = performance.now();
        // oxlint-disable-next-line no-await-in-loop -- one after the other
        await send(call);
        times.push(performance.now() - started);
      }
    }),
  );
  const seconds = (performance.now() - begun) / 1000;
  const after = await between?.usage();
  times.sort((a, b) => a - b);
  return {
    p50: median(times),
    p99: times[Math.floor((times.length - 1) * 0.99)] ?? Number.NaN,
    perSecond: amount / seconds,
    cpuMicroseconds: ((after?.cpuMicroseconds ?? 0) - (before?.cpuMicroseconds ?? 0)) / amount,
  };
}

/**
 * What a way adds to the direct one is the CPU of what is in between: of all threads of its process, with what it does every second anyway.
 * A call leaves an event that is sealed and indexed one to three seconds later. That is counted where it falls: a turn has the events of
 * the turns before it, and one at a time, where most of a round's time goes by, has some of those that were made 16 at a time as well.
 *
 * The service has the same work for all of them: it verifies a token and a proof for the direct call, the plain proxy and the agent. The
 * plain proxy reads no JSON, verifies nothing and asks no database.
 */
function layOut(
  participants: readonly Participant[],
  samples: readonly (readonly Sample[])[],
  atOnce: number,
): readonly string[] {
  const name = `1 KiB, ${atOnce === 1 ? "one" : atOnce} at a time`;
  const rows = [[name, "p50 ms", "p99 ms", "calls/s", "CPU µs added", "over the plain proxy", "ratio"]];
  const cpuOf = (index: number) => medianOf(samples[index] ?? [], (sample) => sample.cpuMicroseconds);
  for (const [index, { name: way, between }] of participants.entries()) {
    const taken = samples[index] ?? [];
    rows.push([
      way,
      medianOf(taken, ({ p50 }) => p50).toFixed(2),
      medianOf(taken, ({ p99 }) => p99).toFixed(2),
      medianOf(taken, ({ perSecond }) => perSecond).toFixed(0),
      between === undefined ? "" : cpuOf(index).toFixed(0),
      index < 2 ? "" : (cpuOf(index) - cpuOf(1)).toFixed(0),
      index < 2 ? "" : (cpuOf(index) / cpuOf(1)).toFixed(1),
    ]);
  }
  return layOutTable(rows);
}
