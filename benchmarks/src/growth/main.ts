/**
 * What a large database costs: refreshes, redemptions of codes and token exchanges of a server whose database holds a million grants and
 * five million audit events, beside one whose database is new, in turns, on one PostgreSQL 16.
 *
 *     npm run bench -- growth [--quick] [--seconds=3] [--rounds=5] [--devices=128] [--grants=1000000] [--events=5000000]
 */
import { performance } from "node:perf_hooks";
import { generateEs256KeyPair } from "@authz/dpop";
import { findFreePort } from "authz-tools/network";
import { startDatabase, withClient } from "../authz/database.js";
import { type Extent, fullExtent, idSql, seedRegistry } from "../authz/seed-registry.js";
import { seedTrail } from "../authz/seed-trail.js";
import { migrate, serverEnvironment } from "../authz/start-server.js";
import { startProcess } from "../child-process.js";
import { conditions, fixed, inWorkplace, print, readOptions, showProgress } from "../frame.js";
import { startAuthz } from "../grants/authz.js";
import { asParticipant, measureInTurns, type Participant, workloads } from "../grants/contender.js";
import { layOutRates, rateOf, ratioOf, titleOf } from "../grants/report.js";

const names = ["devices", "grants", "events"];
const options = readOptions({ rounds: [5, 1], seconds: [3, 0.5] }, names);
const { quick, own, publish } = options;
const extent: Extent = {
  ...fullExtent,
  unsealed: 0,
  grants: Number(own["grants"] ?? (quick ? 50_000 : 1_000_000)),
  events: Number(own["events"] ?? (quick ? 100_000 : 5_000_000)),
};

await inWorkplace(async ({ folder, keep }) => {
  const database = keep(await startDatabase(folder));
  const load = keep(startProcess(new URL("../grants/load-process.js", import.meta.url)));
  const started = performance.now();
  const full = await fill(await database.create("full"));
  const fillSeconds = (performance.now() - started) / 1000;
  const keyPairs = await Promise.all(
    Array.from({ length: Number(own["devices"] ?? 128) }, () => generateEs256KeyPair()),
  );
  const participants: Participant[] = [];
  for (const [name, place] of [
    ["new", { postgresUrl: await database.create("new") }],
    ["full", full],
  ] as const) {
    const contender = keep(await startAuthz({ name, ...place, ports: [await findFreePort()], folder }));
    participants.push(await asParticipant(contender, load, keyPairs));
  }
  const { samples, all } = await measureInTurns(participants, { ...options, database });

  const rows = workloads.flatMap((workload) =>
    participants.map(({ name }) => ({ workload, name, title: `${titleOf(workload)}, ${name} database` })),
  );
  print(...layOutRates(samples, rows, { name: "new", column: "of new" }), "");
  const { grants, events, users } = extent;
  const size = `${fillSeconds.toFixed(0)} s, ${await sizeOf(full.postgresUrl)}`;
  print(`${grants} grants, ${events} events, ${users} people, filled in ${size}.`);
  print(`${conditions(all)} Each of ${options.seconds} s.`);
  publish(
    workloads.map((workload) => ({
      what: `${titleOf(workload)}, requests per second with ${grants} grants and ${events} events`,
      figure: fixed(rateOf(samples, workload, "full")),
      beside: "a new database",
      ratio: fixed(ratioOf(samples, workload, ["full", "new"]), 2),
    })),
  );
});

/** Each grant with the refresh token that is valid now and the one before; the trail recorded, sealed and indexed by the server's own code. */
async function fill(postgresUrl: string) {
  const { AUTHZ_CREDENTIAL_ENCRYPTION_KEY: key = "" } = await serverEnvironment({ postgresUrl, port: 0 });
  await migrate(postgresUrl);
  await withClient(postgresUrl, async (client) => {
    const name = client.escapeIdentifier(new URL(postgresUrl).pathname.slice(1));
    // Nothing is lost when the machine stops while it is filled: it is filled anew.
    await client.query(`ALTER DATABASE ${name} SET synchronous_commit = off`);
    showProgress("people, services, grants");
    await seedRegistry(client, extent);
    await client.query(`
      INSERT INTO refresh_tokens (hash, grant_id, created_at, expires_at, used_at)
      SELECT sha256((n || ' ' || k)::bytea), ${idSql("grants", "n")}, now() - k * interval '1 day', now() + interval '30 days',
        CASE k WHEN 1 THEN now() END FROM generate_series(1, ${extent.grants}) n, generate_series(0, 1) k`);
    await seedTrail(postgresUrl, { extent, encryptionKey: Buffer.from(key, "base64") });
    showProgress("statistics");
    await client.query(`ALTER DATABASE ${name} RESET synchronous_commit`);
    await client.query("VACUUM ANALYZE");
  });
  return { postgresUrl, environment: { AUTHZ_CREDENTIAL_ENCRYPTION_KEY: key } };
}

async function sizeOf(postgresUrl: string): Promise<string> {
  const sql = "SELECT pg_size_pretty(pg_database_size(current_database())) AS size";
  const { rows } = await withClient(postgresUrl, (client) => client.query<{ size: string }>(sql));
  return rows[0]?.size ?? "";
}
