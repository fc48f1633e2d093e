/**
 * What the check of one protected request costs in CPU time, in-process, with a distinct proof per request: ours with
 * replay protection, two others without, and the one P-256 verification that nobody can avoid.
 *
 *     npm run bench -- request [--short]
 */
import { inMemory } from "@authz/dpop";
import { createTestIssuer } from "@authz/testing";
import { bareVerify } from "../floor.js";
import { conditions, readOptions } from "../frame.js";
import { formatTable, type Measurement, measureInterleaved } from "../measure.js";
import { createClients } from "./clients.js";
import { ours, theJwtBearer, theOauth4webapi } from "./contenders.js";

const { short, rounds } = readOptions({ rounds: [31, 5] });
const size = { rounds, operations: short ? 500 : 2000 };

const issuer = await createTestIssuer({
  supportedScopes: ["contracts:read"],
  replayStore: inMemory({ maxEntries: 10_000_000 }),
});
const clients = await createClients(issuer);
const service = { issuer, clients };
const measurements = await measureInterleaved(
  [
    bareVerify(clients.map(({ keyPair }) => keyPair)),
    ours(service),
    theOauth4webapi(service),
    await theJwtBearer(service),
  ],
  size,
);

const [floor, own, ...others] = measurements as [Measurement, Measurement, ...Measurement[]];
const fastest = Math.min(...others.map(({ median }) => median));
process.stdout.write(
  [
    `${conditions(size)} Each of ${size.operations} requests of ${clients.length} clients.`,
    "",
    formatTable(measurements, floor),
    "",
    `@authz/verify costs ${(own.median / floor.median).toFixed(2)} × the floor (best rounds ${(own.best / floor.best).toFixed(2)} ×)`,
    `and handles ${(fastest / own.median).toFixed(1)} × the requests of the fastest other on one core.`,
    "",
  ].join("\n"),
);
