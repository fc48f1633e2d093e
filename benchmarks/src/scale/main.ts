/**
 * What more server processes bring: 1, 2 and 4 of them on one PostgreSQL 16, in turns. Requests per second and p99 of refreshes,
 * redemptions of codes and token exchanges, and what server and database used for one. The load is the same, spread over the processes.
 *
 *     npm run bench -- scale [--quick] [--seconds=3] [--rounds=5] [--devices=128] [--plot=FOLDER]
 *
 * `--plot` writes two pictures of it.
 */
import { writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { join } from "node:path";
import { generateEs256KeyPair } from "@authz/dpop";
import { findFreePort } from "authz-tools/network";
import { startDatabase } from "../authz/database.js";
import { startProcess } from "../child-process.js";
import { conditions, fixed, inWorkplace, medianOf, print, readOptions } from "../frame.js";
import { startAuthz } from "../grants/authz.js";
import { asParticipant, measureInTurns, type Sample, workloads } from "../grants/contender.js";
import { layOutRates, rateOf, ratioOf, titleOf } from "../grants/report.js";
import { drawLines } from "./plot.js";

const processCounts = [1, 2, 4];
const nameOf = (processes: number) => `${processes} ${processes === 1 ? "process" : "processes"}`;

const options = readOptions({ rounds: [5, 1], seconds: [3, 0.5] }, ["devices", "plot"]);
const { own, publish } = options;

await inWorkplace(async ({ folder, keep }) => {
  const database = keep(await startDatabase(folder));
  const load = keep(startProcess(new URL("../grants/load-process.js", import.meta.url)));
  const [port, ...more] = await Promise.all([findFreePort(), findFreePort(), findFreePort(), findFreePort()]);
  const postgresUrl = await database.create("authz");
  const authz = keep(await startAuthz({ name: "authz-server", ports: [port, ...more], postgresUrl, folder }));
  const keyPairs = await Promise.all(
    Array.from({ length: Number(own["devices"] ?? 128) }, () => generateEs256KeyPair()),
  );
  const participants = [];
  for (const processes of processCounts)
    participants.push(await asParticipant(authz, load, keyPairs, { processes, name: nameOf(processes) }));
  const { samples, all } = await measureInTurns(participants, { ...options, database });

  const rows = workloads.flatMap((workload) =>
    processCounts.map(nameOf).map((name) => ({ workload, name, title: `${titleOf(workload)}, ${name}` })),
  );
  print(...layOutRates(samples, rows, { name: nameOf(1), column: "of one" }), "");
  const cores = `${cpus().length} cores for servers, PostgreSQL and load`;
  print(`${conditions(all)} Each of ${options.seconds} s, ${cores}.`);
  publish(
    workloads.map((workload) => ({
      what: `${titleOf(workload)}, requests per second with 2 processes`,
      figure: fixed(rateOf(samples, workload, nameOf(2))),
      beside: "one process",
      ratio: fixed(ratioOf(samples, workload, [nameOf(2), nameOf(1)]), 2),
    })),
  );

  const draw = (file: string, what: string, member: keyof Sample) => {
    const lines = workloads.map((workload) => ({
      name: titleOf(workload),
      points: processCounts.map((at) => ({
        at,
        value: medianOf(samples(workload, nameOf(at)), (sample) => sample[member]),
      })),
    }));
    const picture = drawLines({ title: `${what}; ${cores} together`, across: "server processes", lines });
    writeFileSync(join(own["plot"] ?? "", file), picture);
  };
  if (own["plot"] === undefined) return;
  draw("scale-rate.svg", "Requests per second", "perSecond");
  draw("scale-p99.svg", "p99 in milliseconds", "p99");
});
