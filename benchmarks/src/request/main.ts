/**
 * What the check of one protected request costs in CPU time, in-process, with a distinct proof per request: ours with
 * replay protection, for the service's own tokens and for those that people get straight from the authorization server, two
 * others without, and the one P-256 verification that nobody can avoid. And how many checks one process makes in a second when many
 * requests arrive at a time, with its signatures verified one after the other and in threads.
 *
 *     npm run bench -- request [--quick]
 */
import { inMemory } from "@authz/dpop";
import { createTestIssuer } from "@authz/testing";
import { bareVerify } from "../floor.js";
import { conditions, readOptions } from "../frame.js";
import { formatTable, type Measurement, measureSideBySide } from "../measure.js";
import { createClients } from "./clients.js";
import { formatThroughput, measureThroughput } from "./concurrency.js";
import { ours, theJwtBearer, theOauth4webapi } from "./contenders.js";

const { quick, rounds, endAt, publish } = readOptions({ rounds: [31, 5] });
const size = { rounds, endAt, operations: quick ? 500 : 2000 };

const issuer = await createTestIssuer({
  supportedScopes: ["contracts:read"],
  replayStore: inMemory({ maxEntries: 10_000_000 }),
});
const clients = await createClients(issuer);
const service = { issuer, clients };
const app = "https://agent.example/oauth/client-metadata.json";
const { measurements, samples } = await measureSideBySide(
  [
    [
      bareVerify(clients.map(({ keyPair }) => keyPair)),
      ours("@authz/verify", service),
      ours("the same, token of the authorization server", {
        issuer,
        clients: await createClients(issuer, { app }),
      }),
    ],
    [theOauth4webapi(service), await theJwtBearer(service)],
  ],
  size,
);

// Time, not CPU: a fraction of the rounds tells enough.
const throughput = await measureThroughput(service, { ...size, rounds: Math.ceil(rounds / 3) });
const [atOnce, inThreads] = throughput;

const [floor, own, direct, ...others] = measurements as [
  Measurement,
  Measurement,
  Measurement,
  ...Measurement[],
];
const fastest = Math.min(...others.map(({ median }) => median));
publish([
  {
    what: "Check of a request, in-process, CPU",
    figure: `${own.median.toFixed(0)} µs`,
    beside: "one verification of a signature",
    ratio: own.ofFirst.toFixed(2),
  },
  {
    what: "The same, with a person's token of the authorization server",
    figure: `${direct.median.toFixed(0)} µs`,
    beside: "the service's own token",
    ratio: (direct.median / own.median).toFixed(2),
  },
  ...others.map(({ name, median }) => ({
    what: "The same",
    figure: `${own.median.toFixed(0)} µs`,
    beside: name,
    ratio: (own.median / median).toFixed(2),
  })),
  {
    what: "Checks per second of one process, 64 requests at a time, verified in threads",
    figure: (inThreads?.checksPerSecond ?? Number.NaN).toFixed(0),
    beside: "verified one after the other",
    ratio: ((inThreads?.checksPerSecond ?? Number.NaN) / (atOnce?.checksPerSecond ?? Number.NaN)).toFixed(2),
  },
]);
process.stdout.write(
  [
    `${conditions(samples)} Each of ${size.operations} requests of ${clients.length} clients.`,
    "",
    formatTable(measurements),
    "",
    `@authz/verify costs ${own.ofFirst.toFixed(2)} × the floor (best rounds ${(own.best / floor.best).toFixed(2)} ×)`,
    `and as much for a token of the authorization server: ${(direct.median / own.median).toFixed(3)} × (best rounds ${(direct.best / own.best).toFixed(3)} ×),`,
    `and handles ${(fastest / own.median).toFixed(1)} × the requests of the fastest other on one core.`,
    "",
    formatThroughput(throughput),
    "",
  ].join("\n"),
);
