import { performance } from "node:perf_hooks";
import { Client } from "pg";
import { peakWhile, residentBytes } from "../connectors/memory.js";
import { layOutTable, mebibytes, median, tell } from "../frame.js";
import type { AnsweringProcess } from "../grants/child-process.js";
import { type PreparedCall, send } from "./calls.js";

/** What became of many agents at once. */
export interface Crowd {
  readonly agents: number;
  readonly calls: number;
  /** Calls without the answer that they were made for. */
  readonly lost: number;
  /** Calls in the audit trail. */
  readonly recorded: number;
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
  readonly cpuMicroseconds: number;
  readonly residentBefore: number;
  readonly residentAtMost: number;
}

/** Lets every agent make its calls, one after the other, all of the agents at the same time. */
export async function callAtOnce({
  server,
  postgresUrl,
  calls,
}: {
  readonly server: AnsweringProcess;
  readonly postgresUrl: string;
  /** Of each agent. */
  readonly calls: readonly (readonly PreparedCall[])[];
}): Promise<Crowd> {
  tell(`${calls.length} agents at once`);
  const database = new Client({ connectionString: postgresUrl });
  await database.connect();
  try {
    const { pid } = server.process;
    const total = calls.reduce((sum, own) => sum + own.length, 0);
    const recordedBefore = await countRecorded(database);
    const residentBefore = residentBytes(pid) ?? Number.NaN;
    const before = await server.usage();
    const times: number[] = [];
    let lost = 0;
    let said: string | undefined;
    const started = performance.now();
    const peak = await peakWhile(pid, async () => {
      await Promise.all(
        calls.map(async (own) => {
          for (const call of own) {
            const begun = performance.now();
            try {
              // oxlint-disable-next-line no-await-in-loop -- one after the other
              await send(call);
              times.push(performance.now() - begun);
            } catch (error) {
              lost += 1;
              said ??= (error as Error).message;
            }
          }
        }),
      );
    });
    const seconds = (performance.now() - started) / 1000;
    const after = await server.usage();
    if (said !== undefined) process.stderr.write(`The first that was lost: ${said}\n`);
    times.sort((a, b) => a - b);
    return {
      agents: calls.length,
      calls: total,
      lost,
      recorded: await recordedSince(database, recordedBefore, total),
      perSecond: total / seconds,
      p50: median(times),
      p99: times[Math.floor((times.length - 1) * 0.99)] ?? Number.NaN,
      cpuMicroseconds: (after.cpuMicroseconds - before.cpuMicroseconds) / total,
      residentBefore,
      residentAtMost: peak ?? Number.NaN,
    };
  } finally {
    await database.end();
  }
}

export function layOutCrowd(crowd: Crowd): readonly string[] {
  const { agents, calls, lost, recorded, perSecond, p50, p99, cpuMicroseconds } = crowd;
  return layOutTable([
    [`${agents} agents at once`, ""],
    ["calls", String(calls)],
    ["lost answers", String(lost)],
    ["on record", String(recorded)],
    ["calls/s", perSecond.toFixed(0)],
    ["p50 ms", p50.toFixed(0)],
    ["p99 ms", p99.toFixed(0)],
    ["CPU µs of the server", cpuMicroseconds.toFixed(0)],
    ["resident MiB before", mebibytes(crowd.residentBefore)],
    ["resident MiB at most", mebibytes(crowd.residentAtMost)],
  ]);
}

async function countRecorded(database: Client): Promise<number> {
  const { rows } = await database.query<{ count: number }>(
    "SELECT count(*)::integer AS count FROM audit_events WHERE type = 'service.called'",
  );
  return rows[0]?.count ?? 0;
}

/** The ends of calls are written together, a moment after the answers. */
async function recordedSince(database: Client, before: number, wanted: number): Promise<number> {
  let recorded = 0;
  for (let turn = 0; turn < 20 && recorded < wanted; turn += 1) {
    // oxlint-disable-next-line no-await-in-loop -- one look after the other
    await new Promise((resolve) => setTimeout(resolve, 100));
    // oxlint-disable-next-line no-await-in-loop -- one look after the other
    recorded = (await countRecorded(database)) - before;
  }
  return recorded;
}
