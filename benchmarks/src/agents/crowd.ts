import { performance } from "node:perf_hooks";
import { withClient } from "../authz/database.js";
import type { AnsweringProcess } from "../child-process.js";
import { measureMemory, type PreparedRequest, sendRequest } from "../connectors/way.js";
import { layOutTable, mebibytes, quantile, showProgress } from "../frame.js";

/** What became of many agents at once. */
export interface Crowd {
  /** Whether every call had its answer and is in the audit trail. */
  readonly isComplete: boolean;
  readonly lines: readonly string[];
}

/** All agents at the same time make their calls, each one after the other. */
export async function callAtOnce({
  server,
  postgresUrl,
  calls,
}: {
  readonly server: AnsweringProcess;
  readonly postgresUrl: string;
  /** Of each agent. */
  readonly calls: readonly (readonly PreparedRequest[])[];
}): Promise<Crowd> {
  showProgress(`${calls.length} agents at once`);
  const total = calls.reduce((sum, own) => sum + own.length, 0);
  const recordedBefore = await countRecorded(postgresUrl);
  const before = await server.usage();
  const times: number[] = [];
  const losses: string[] = [];
  const call = async (one: PreparedRequest) => {
    const begun = performance.now();
    await sendRequest(one).then(
      () => times.push(performance.now() - begun),
      (error: Error) => losses.push(error.message),
    );
  };
  const memory = await measureMemory(server, () =>
    Promise.all(
      calls.map(async (own) => {
        for (const one of own) await call(one);
      }),
    ),
  );
  const after = await server.usage();
  if (losses.length > 0) process.stderr.write(`The first that was lost: ${losses[0]}\n`);
  const recorded = await recordedSince(postgresUrl, recordedBefore, total);
  const cpu = (after.cpuMicroseconds - before.cpuMicroseconds) / total;
  return {
    isComplete: losses.length === 0 && recorded === total,
    lines: layOutTable([
      [`${calls.length} agents at once`, ""],
      ["calls", String(total)],
      ["lost answers", String(losses.length)],
      ["on record", String(recorded)],
      ["calls/s", (total / memory.seconds).toFixed(0)],
      ["p50 ms", quantile(times, 0.5).toFixed(0)],
      ["p99 ms", quantile(times, 0.99).toFixed(0)],
      ["CPU µs of the server", cpu.toFixed(0)],
      ["resident MiB before", mebibytes(memory.before)],
      ["resident MiB at most", mebibytes(memory.peak)],
    ]),
  };
}

/** Calls in the audit trail. */
async function countRecorded(postgresUrl: string): Promise<number> {
  const sql = "SELECT count(*)::integer AS count FROM audit_events WHERE type = 'service.called'";
  const { rows } = await withClient(postgresUrl, (client) => client.query<{ count: number }>(sql));
  return rows[0]?.count ?? 0;
}

/** The ends of calls are written together, a moment after the answers. */
async function recordedSince(postgresUrl: string, before: number, wanted: number): Promise<number> {
  let recorded = 0;
  for (let turn = 0; turn < 20 && recorded < wanted; turn += 1) {
    await new Promise((resolve) => setTimeout(resolve, 100));
    recorded = (await countRecorded(postgresUrl)) - before;
  }
  return recorded;
}
