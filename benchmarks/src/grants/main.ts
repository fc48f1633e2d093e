/**
 * Refreshes, code redemptions and token exchanges per second, with DPoP, against PostgreSQL 16: authz-server beside
 * oidc-provider (in memory, and with PostgreSQL) and beside the database alone. Rounds are interleaved; the figures are
 * medians.
 *
 *     node dist/grants/main.js [--quick] [--seconds=3] [--rounds=5] [--devices=128] [--only=refresh] [--profile=FOLDER]
 */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { generateEs256KeyPair } from "@authz/dpop";
import { findFreePort } from "authz-tools/network";
import { conditions, inTurns, readOptions } from "../frame.js";
import type { Figure } from "../table.js";
import { createTables, startAuthz } from "./authz/contender.js";
import { startProcess } from "./child-process.js";
import type { Contender } from "./contender.js";
import { startDatabase } from "./database.js";
import { listRoundTrips } from "./list-round-trips.js";
import { type Workload, workloads } from "./load.js";
import { startOidcProvider } from "./oidc-provider/contender.js";
import { asParticipant, floorParticipant, type Participant, takeTurn } from "./participant.js";
import { countRoundTrips } from "./round-trips.js";
import { compareMemory, compareRefreshes, figureOf, type Row, type Sample, summarize } from "./summary.js";

const { quick, rounds, seconds, endAt, own, publish } = readOptions({ rounds: [5, 1], seconds: [3, 0.5] }, [
  "devices",
  "only",
  "profile",
]);
const chosen = workloads.filter((workload) => own["only"] === undefined || own["only"] === workload);
const countingMs = 15_000;
const warmUpCount = quick ? 300 : 2_000;

const folder = mkdtempSync(join(tmpdir(), "authz-bench-grants-"));
const database = await startDatabase(folder);
const running: { stop(): Promise<void> }[] = [];
try {
  const load = keep(startProcess(new URL("./load-process.js", import.meta.url), []));
  const keyPairs = await Promise.all(
    Array.from({ length: Number(own["devices"] ?? 128) }, () => generateEs256KeyPair()),
  );
  // Of its own: authz-server would seal the audit events of the floor.
  const floorUrl = await database.create("floor");
  await createTables(floorUrl);
  const contenders = [
    keep(await startAuthz({ ...(await place("authz-server")), postgresUrl: await database.create("authz") })),
    keep(
      await startOidcProvider({
        ...(await place("oidc-provider, PostgreSQL")),
        postgresUrl: await database.create("oidc"),
      }),
    ),
    keep(await startOidcProvider(await place("oidc-provider, in memory"))),
  ];
  const floor = keep(startProcess(new URL("./floor-process.js", import.meta.url), [floorUrl]));
  const participants = [floorParticipant(floor)];
  for (const contender of contenders) participants.push(await asParticipant(contender, load, keyPairs));

  const samples = await measureInTurns(participants);
  const roundTrips = await countAll();
  const figures: Figure[] = [];
  for (const workload of chosen) {
    const rows = participants
      .filter((participant) => participant.workloads.includes(workload))
      .map(
        ({ name }): Row => ({
          name,
          samples: samples.get(`${name} ${workload}`) ?? [],
          roundTrips: roundTrips.get(name)?.[workload],
        }),
      );
    process.stdout.write(
      `${summarize(workload, rows)}\n${workload === "refresh" ? compareRefreshes(rows) : ""}\n`,
    );
    figures.push(figureOf(workload, rows));
  }
  process.stdout.write(`${compareMemory(contenders)}\n`);
  process.stdout.write(`${conditions([...samples.values()])} Each of ${seconds} s.\n`);
  publish(figures);

  /** The first round, which is not counted, sizes the turns. */
  async function measureInTurns(
    all: readonly Participant[],
  ): Promise<ReadonlyMap<string, readonly Sample[]>> {
    let analyzed = false;
    const turns = chosen.flatMap((workload) =>
      all
        .filter((participant) => participant.workloads.includes(workload))
        .map((participant) => {
          let count = warmUpCount;
          return {
            name: `${participant.name} ${workload}`,
            async take(round: number) {
              if (round > 0 && !analyzed) await database.analyze();
              analyzed ||= round > 0;
              const sample = await takeTurn(participant, { workload, count }, database);
              if (round === 0) count = Math.max(100, Math.round(sample.perSecond * seconds));
              return sample;
            },
          };
        }),
    );
    // What follows takes about so long.
    const measured = await inTurns(turns, { rounds, endAt: endAt - countingMs });
    return new Map(turns.map(({ name }, index) => [name, measured[index] ?? []]));
  }

  /** Counts on servers of their own: the counter between server and database would slow down the measured ones. */
  async function countAll(): Promise<Map<string, Partial<Record<Workload, readonly string[]>>>> {
    const [keyPair = await generateEs256KeyPair()] = keyPairs;
    const lists = new Map<string, Partial<Record<Workload, readonly string[]>>>();
    const starts: readonly [string, string, (postgresUrl: string) => Promise<Contender>][] = [
      [
        "authz-server",
        "authz_counted",
        async (postgresUrl) => await startAuthz({ ...(await place("counted")), postgresUrl }),
      ],
      [
        "oidc-provider, PostgreSQL",
        "oidc_counted",
        async (postgresUrl) => await startOidcProvider({ ...(await place("counted")), postgresUrl }),
      ],
    ];
    for (const [name, databaseName, start] of starts) {
      const counter = await countRoundTrips(await database.create(databaseName));
      const contender = await start(counter.url);
      lists.set(name, await listRoundTrips(contender, counter, { load, keyPair }));
      await contender.stop();
      counter.close();
    }
    return lists;
  }
} finally {
  for (const one of running.toReversed()) await one.stop();
  await database.stop();
  rmSync(folder, { recursive: true, force: true });
}

function keep<One extends { stop(): Promise<void> }>(one: One): One {
  running.push(one);
  return one;
}

async function place(name: string) {
  const profile = own["profile"];
  if (profile !== undefined) mkdirSync(profile, { recursive: true });
  const nodeOptions =
    profile === undefined
      ? []
      : ["--cpu-prof", `--cpu-prof-dir=${profile}`, `--cpu-prof-name=${name}.cpuprofile`];
  return { name, port: await findFreePort(), folder, nodeOptions };
}
