/**
 * What more server processes bring: 1, 2 and 4 of them on one PostgreSQL 16, in turns. Requests per second and p99 of refreshes,
 * redemptions of codes and token exchanges, and what server and database used for one. The load is the same, spread over the processes.
 *
 *     node dist/scale/main.js [--quick] [--seconds=3] [--rounds=5] [--devices=128] [--plot=FOLDER]
 *
 * `--plot` writes two pictures of it.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { generateEs256KeyPair } from "@authz/dpop";
import { findFreePort } from "authz-tools/network";
import { conditions, inTurns, layOutTable, medianOf, readOptions } from "../frame.js";
import { startAuthz } from "../grants/authz/contender.js";
import { startProcess } from "../grants/child-process.js";
import { startDatabase } from "../grants/database.js";
import { workloads } from "../grants/load.js";
import { asParticipant, takeTurn } from "../grants/participant.js";
import { type Sample, titleOf } from "../grants/summary.js";
import { drawLines, type Line } from "./plot.js";

const processCounts = [1, 2, 4];

const { quick, rounds, seconds, endAt, own, publish } = readOptions({ rounds: [5, 1], seconds: [3, 0.5] }, [
  "devices",
  "plot",
]);

const folder = mkdtempSync(join(tmpdir(), "authz-bench-scale-"));
const database = await startDatabase(folder);
const running: { stop(): Promise<void> }[] = [];
try {
  const load = startProcess(new URL("../grants/load-process.js", import.meta.url), []);
  running.push(load);
  const [port = 0, ...morePorts] = await Promise.all(
    Array.from({ length: Math.max(...processCounts) }, () => findFreePort()),
  );
  const postgresUrl = await database.create("authz");
  const authz = await startAuthz({
    name: "authz-server",
    port,
    morePorts,
    postgresUrl,
    folder,
    nodeOptions: [],
  });
  running.push(authz);
  const keyPairs = await Promise.all(
    Array.from({ length: Number(own["devices"] ?? 128) }, () => generateEs256KeyPair()),
  );

  const turns = [];
  for (const processes of processCounts) {
    const participant = await asParticipant(authz, load, keyPairs, processes);
    for (const workload of workloads) {
      let count = quick ? 300 : 2_000;
      turns.push({
        name: `${workload}, ${processes}`,
        workload,
        processes,
        async take(round: number) {
          if (round === 1) await database.analyze();
          const sample = await takeTurn(participant, { workload, count }, database);
          if (round === 0) count = Math.max(100, Math.round(sample.perSecond * seconds));
          return sample;
        },
      });
    }
  }
  const measured = await inTurns(turns, { rounds, endAt });
  const samples = new Map(turns.map(({ name }, index) => [name, measured[index] ?? []]));
  const of = (workload: string, processes: number, member: keyof Sample) =>
    medianOf(samples.get(`${workload}, ${processes}`) ?? [], (sample) => sample[member]);

  const rows = workloads.flatMap((workload) =>
    processCounts.map((processes) => [
      `${titleOf(workload)}, ${processes} ${processes === 1 ? "process" : "processes"}`,
      of(workload, processes, "perSecond").toFixed(0),
      (of(workload, processes, "perSecond") / of(workload, 1, "perSecond")).toFixed(2),
      of(workload, processes, "medianMilliseconds").toFixed(1),
      of(workload, processes, "p99Milliseconds").toFixed(1),
      of(workload, processes, "serverMicroseconds").toFixed(0),
      of(workload, processes, "databaseMicroseconds").toFixed(0),
    ]),
  );
  const columns = ["", "req/s", "of one", "p50 ms", "p99 ms", "server CPU µs", "database CPU µs"];
  process.stdout.write(`${layOutTable([columns, ...rows]).join("\n")}\n\n`);
  process.stdout.write(
    `${conditions(measured)} Each of ${seconds} s, ${cpus().length} cores for servers, PostgreSQL and load.\n`,
  );
  publish(
    workloads.map((workload) => ({
      what: `${titleOf(workload)}, requests per second with 2 processes`,
      figure: of(workload, 2, "perSecond").toFixed(0),
      beside: "one process",
      ratio: (of(workload, 2, "perSecond") / of(workload, 1, "perSecond")).toFixed(2),
    })),
  );

  const plot = own["plot"];
  if (plot !== undefined) {
    const lines = (member: keyof Sample): readonly Line[] =>
      workloads.map((workload) => ({
        name: titleOf(workload),
        points: processCounts.map((processes) => ({ at: processes, value: of(workload, processes, member) })),
      }));
    const where = `${cpus().length} cores for servers, PostgreSQL and load together`;
    const pictures = {
      "scale-rate.svg": drawLines({
        title: `Requests per second; ${where}`,
        across: "server processes",
        lines: lines("perSecond"),
      }),
      "scale-p99.svg": drawLines({
        title: `p99 in milliseconds; ${where}`,
        across: "server processes",
        lines: lines("p99Milliseconds"),
      }),
    };
    for (const [name, picture] of Object.entries(pictures)) writeFileSync(join(plot, name), picture);
  }
} finally {
  for (const one of running.toReversed()) await one.stop();
  await database.stop();
  rmSync(folder, { recursive: true, force: true });
}
