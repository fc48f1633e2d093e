/**
 * Refreshes, code redemptions and token exchanges per second, with DPoP, against PostgreSQL 16: authz-server beside
 * oidc-provider (in memory, and with PostgreSQL) and beside the database alone. Rounds are interleaved; the figures are
 * medians.
 *
 *     npm run bench -- grants [--quick] [--seconds=3] [--rounds=5] [--devices=128] [--only=refresh] [--profile=FOLDER]
 */
import { mkdirSync } from "node:fs";
import { generateEs256KeyPair } from "@authz/dpop";
import { findFreePort } from "authz-tools/network";
import { startDatabase } from "../authz/database.js";
import { migrate } from "../authz/start-server.js";
import { startProcess } from "../child-process.js";
import { conditions, fixed, inWorkplace, mebibytes, print, readOptions } from "../frame.js";
import { startAuthz } from "./authz.js";
import { asParticipant, floorName, floorParticipant, measureInTurns, workloads } from "./contender.js";
import { startOidcProvider } from "./oidc-provider.js";
import { layOutRates, rateOf, ratioOf, titleOf } from "./report.js";
import { countRoundTrips, listRoundTrips, type RoundTrips } from "./round-trips.js";

const options = readOptions({ rounds: [5, 1], seconds: [3, 0.5] }, ["devices", "only", "profile"]);
const { own, endAt, publish } = options;
const chosen = workloads.filter((workload) => own["only"] === undefined || own["only"] === workload);
const countingMs = 15_000;
const [ours, theirs] = ["authz-server", "oidc-provider, PostgreSQL"];

await inWorkplace(async ({ folder, keep }) => {
  const database = keep(await startDatabase(folder));
  const load = keep(startProcess(new URL("./load-process.js", import.meta.url)));
  const keyPairs = await Promise.all(
    Array.from({ length: Number(own["devices"] ?? 128) }, () => generateEs256KeyPair()),
  );
  const startOurs = async (name: string, postgresUrl: string) =>
    await startAuthz({ ...place(name), postgresUrl, ports: [await findFreePort()], folder });
  const startTheirs = async (name: string, postgresUrl?: string) =>
    await startOidcProvider({
      ...place(name),
      port: await findFreePort(),
      ...(postgresUrl !== undefined && { postgresUrl }),
    });
  // Of its own: authz-server would seal the audit events of the floor.
  const floorUrl = await database.create("floor");
  await migrate(floorUrl);
  const contenders = [
    keep(await startOurs(ours, await database.create("authz"))),
    keep(await startTheirs(theirs, await database.create("oidc"))),
    keep(await startTheirs("oidc-provider, in memory")),
  ];
  const floor = keep(startProcess(new URL("./floor-process.js", import.meta.url), [floorUrl]));
  const participants = [floorParticipant(floor)];
  for (const contender of contenders) participants.push(await asParticipant(contender, load, keyPairs));

  // Counting the round trips takes about so long.
  const size = { ...options, endAt: endAt - countingMs };
  const { samples, all } = await measureInTurns(participants, { ...size, chosen, database });
  const roundTrips = await countAll();
  for (const workload of chosen) {
    const able = participants.filter((participant) => participant.workloads.includes(workload));
    const rows = able.map(({ name }) => ({
      workload,
      name,
      title: name,
      more: [roundTrips.get(name)?.[workload]?.length.toString() ?? ""],
    }));
    const base = { name: floorName, column: "of floor", more: ["round trips"] };
    print(titleOf(workload), "", ...layOutRates(samples, rows, base), "");
    for (const [name, { [workload]: trips = [] }] of roundTrips)
      if (trips.length > 0) print(`  ${name}: ${trips.join(", ")}`);
    const ratio = fixed(ratioOf(samples, workload, [ours, theirs]), 1);
    if (workload === "refresh" && ratio !== "")
      print(`authz-server refreshes ${ratio} × as often as oidc-provider with PostgreSQL.`);
    print("");
  }
  const memory = contenders.map(({ name, idleBytes }) => `${name} ${mebibytes(idleBytes)} MiB`);
  print(`Resident memory after the start: ${memory.join(", ")}.`, "");
  print(`${conditions(all)} Each of ${options.seconds} s.`);
  publish(
    chosen.map((workload) => {
      // Beside the database alone where oidc-provider cannot do it.
      const beside = samples(workload, theirs).length > 0 ? theirs : floorName;
      return {
        what: `${titleOf(workload)}, requests per second`,
        figure: fixed(rateOf(samples, workload, ours)),
        beside,
        ratio: fixed(ratioOf(samples, workload, [ours, beside]), 2),
      };
    }),
  );

  /** Counts on servers of their own: the counter between server and database would slow down the measured ones. */
  async function countAll(): Promise<ReadonlyMap<string, RoundTrips>> {
    const keyPair = await generateEs256KeyPair();
    const lists = new Map<string, RoundTrips>();
    for (const [name, start] of [[ours, startOurs] as const, [theirs, startTheirs] as const]) {
      const counter = await countRoundTrips(await database.create(`${name.slice(0, 4)}_counted`));
      const contender = await start("counted", counter.url);
      lists.set(name, await listRoundTrips(contender, counter, { load, keyPair }));
      await contender.stop();
      await counter.stop();
    }
    return lists;
  }
});

function place(name: string) {
  const profile = own["profile"];
  if (profile !== undefined) mkdirSync(profile, { recursive: true });
  const execArgv =
    profile === undefined
      ? []
      : ["--cpu-prof", `--cpu-prof-dir=${profile}`, `--cpu-prof-name=${name}.cpuprofile`];
  return { name, execArgv };
}
