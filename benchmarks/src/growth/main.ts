/**
 * What a large database costs: refreshes, redemptions of codes and token exchanges of a server whose database holds a million grants and
 * five million audit events, beside one whose database is new, in turns, on one PostgreSQL 16.
 *
 *     node dist/growth/main.js [--quick] [--seconds=3] [--rounds=5] [--devices=128] [--grants=1000000] [--events=5000000]
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { generateEs256KeyPair } from "@authz/dpop";
import { findFreePort } from "authz-tools/network";
import { Client } from "pg";
import { serverEnvironment } from "../authz-server.js";
import { type Extent, fullExtent } from "../console/extent.js";
import { idSql, seedRegistry } from "../console/seed-registry.js";
import { seedTrail } from "../console/seed-trail.js";
import { conditions, inTurns, layOutTable, medianOf, readOptions, tell } from "../frame.js";
import { createTables, startAuthz } from "../grants/authz/contender.js";
import { startProcess } from "../grants/child-process.js";
import { startDatabase } from "../grants/database.js";
import { workloads } from "../grants/load.js";
import { asParticipant, takeTurn } from "../grants/participant.js";
import { type Sample, titleOf } from "../grants/summary.js";

const { quick, rounds, seconds, endAt, own, publish } = readOptions({ rounds: [5, 1], seconds: [3, 0.5] }, [
  "devices",
  "grants",
  "events",
]);
const extent: Extent = {
  ...fullExtent,
  unsealed: 0,
  grants: Number(own["grants"] ?? (quick ? 50_000 : 1_000_000)),
  events: Number(own["events"] ?? (quick ? 100_000 : 5_000_000)),
};

const folder = mkdtempSync(join(tmpdir(), "authz-bench-growth-"));
const database = await startDatabase(folder);
const running: { stop(): Promise<void> }[] = [];
try {
  const load = startProcess(new URL("../grants/load-process.js", import.meta.url), []);
  running.push(load);
  const started = performance.now();
  const full = await fill(await database.create("full"));
  const fillSeconds = (performance.now() - started) / 1000;
  const contenders = [
    await startAuthz({ ...(await place("new")), postgresUrl: await database.create("new") }),
    await startAuthz({ ...(await place("full")), ...full }),
  ];
  running.push(...contenders);
  const keyPairs = await Promise.all(
    Array.from({ length: Number(own["devices"] ?? 128) }, () => generateEs256KeyPair()),
  );

  const turns = [];
  for (const contender of contenders) {
    const participant = await asParticipant(contender, load, keyPairs);
    for (const workload of workloads) {
      let count = quick ? 300 : 2_000;
      turns.push({
        name: `${workload}, ${contender.name}`,
        async take(round: number) {
          if (round === 1 && workload === workloads[0]) await database.analyze();
          const sample = await takeTurn(participant, { workload, count }, database);
          if (round === 0) count = Math.max(100, Math.round(sample.perSecond * seconds));
          return sample;
        },
      });
    }
  }
  const measured = await inTurns(turns, { rounds, endAt });
  const samples = new Map(turns.map(({ name }, index) => [name, measured[index] ?? []]));
  const of = (workload: string, name: string, member: keyof Sample) =>
    medianOf(samples.get(`${workload}, ${name}`) ?? [], (sample) => sample[member]);

  const rows = workloads.flatMap((workload) =>
    contenders.map(({ name }) => [
      `${titleOf(workload)}, ${name} database`,
      of(workload, name, "perSecond").toFixed(0),
      (of(workload, name, "perSecond") / of(workload, "new", "perSecond")).toFixed(2),
      of(workload, name, "medianMilliseconds").toFixed(1),
      of(workload, name, "p99Milliseconds").toFixed(1),
      of(workload, name, "serverMicroseconds").toFixed(0),
      of(workload, name, "databaseMicroseconds").toFixed(0),
    ]),
  );
  const columns = ["", "req/s", "of new", "p50 ms", "p99 ms", "server CPU µs", "database CPU µs"];
  process.stdout.write(`${layOutTable([columns, ...rows]).join("\n")}\n\n`);
  process.stdout.write(
    `${extent.grants} grants, ${extent.events} events, ${extent.users} people, filled in ${fillSeconds.toFixed(0)} s, ${await sizeOf(full.postgresUrl)}.\n`,
  );
  process.stdout.write(`${conditions(measured)} Each of ${seconds} s.\n`);
  publish(
    workloads.map((workload) => ({
      what: `${titleOf(workload)}, requests per second with ${extent.grants} grants and ${extent.events} events`,
      figure: of(workload, "full", "perSecond").toFixed(0),
      beside: "a new database",
      ratio: (of(workload, "full", "perSecond") / of(workload, "new", "perSecond")).toFixed(2),
    })),
  );
} finally {
  for (const one of running.toReversed()) await one.stop();
  await database.stop();
  rmSync(folder, { recursive: true, force: true });
}

/** Each grant with the refresh token that is valid now and the one before; the trail recorded, sealed and indexed by the server's own code. */
async function fill(
  postgresUrl: string,
): Promise<{ readonly postgresUrl: string; readonly environment: Readonly<Record<string, string>> }> {
  const { AUTHZ_CREDENTIAL_ENCRYPTION_KEY: key = "" } = await serverEnvironment({ postgresUrl, port: 0 });
  await createTables(postgresUrl);
  const client = new Client({ connectionString: postgresUrl });
  await client.connect();
  const name = client.escapeIdentifier(new URL(postgresUrl).pathname.slice(1));
  // Nothing is lost when the machine stops while it is filled: it is filled anew.
  await client.query(`ALTER DATABASE ${name} SET synchronous_commit = off`);
  tell("people, services, grants");
  await seedRegistry(client, extent);
  await client.query(`
    INSERT INTO refresh_tokens (hash, grant_id, created_at, expires_at, used_at)
    SELECT sha256((n || ' ' || k)::bytea), ${idSql("grants", "n")}, now() - k * interval '1 day', now() + interval '30 days',
      CASE k WHEN 1 THEN now() END FROM generate_series(1, ${extent.grants}) n, generate_series(0, 1) k`);
  await seedTrail(postgresUrl, { extent, encryptionKey: Buffer.from(key, "base64") });
  tell("statistics");
  await client.query(`ALTER DATABASE ${name} RESET synchronous_commit`);
  await client.query("VACUUM ANALYZE");
  await client.end();
  return { postgresUrl, environment: { AUTHZ_CREDENTIAL_ENCRYPTION_KEY: key } };
}

async function sizeOf(postgresUrl: string): Promise<string> {
  const client = new Client({ connectionString: postgresUrl });
  await client.connect();
  const { rows } = await client.query<{ size: string }>(
    "SELECT pg_size_pretty(pg_database_size(current_database())) AS size",
  );
  await client.end();
  return rows[0]?.size ?? "";
}

async function place(name: string) {
  return { name, port: await findFreePort(), folder, nodeOptions: [] };
}
