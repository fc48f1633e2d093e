/**
 * What the check of one protected request costs in CPU time, in-process, with a distinct proof per request: ours with
 * replay protection, for the service's own tokens and for those that people get straight from the authorization server, two
 * others without, and the one P-256 verification that no check can avoid. And how many checks one process makes in a second when many
 * requests arrive at a time, with its signatures verified one after the other and in threads.
 *
 *     npm run bench -- request [--quick]
 */
import { inMemory } from "@authz/dpop";
import { createTestIssuer } from "@authz/testing";
import { conditions, print, readOptions } from "../frame.js";
import { createClients } from "./clients.js";
import { layOutThroughput, measureThroughput } from "./concurrency.js";
import { bareVerify, ours, theJwtBearer, theOauth4webapi } from "./contenders.js";
import { layOutMeasurements, type Measurement, measureSideBySide } from "./measure.js";

const { quick, rounds, endAt, publish } = readOptions({ rounds: [31, 5] });
const size = { rounds, endAt, operations: quick ? 500 : 2000 };

const issuer = await createTestIssuer({
  supportedScopes: ["contracts:read"],
  replayStore: inMemory({ maxEntries: 10_000_000 }),
});
const service = { issuer, clients: await createClients(issuer) };
const app = "https://agent.example/oauth/client-metadata.json";
const direct = { issuer, clients: await createClients(issuer, { app }) };
const { measurements, samples } = await measureSideBySide(
  [
    [
      bareVerify(service),
      ours("@authz/verify", service),
      ours("the same, token of the authorization server", direct),
    ],
    [theOauth4webapi(service), await theJwtBearer(service)],
  ],
  size,
);
// Time, not CPU: a fraction of the rounds shows enough.
const throughput = await measureThroughput(service, { ...size, rounds: Math.ceil(rounds / 3) });

const [floor, own, person, ...others] = measurements as [
  Measurement,
  Measurement,
  Measurement,
  ...Measurement[],
];
const { synchronous, concurrent } = throughput;
const check = { figure: `${own.median.toFixed(0)} µs` };
publish([
  {
    what: "Check of a request, in-process, CPU",
    ...check,
    beside: "one verification of a signature",
    ratio: own.ofFirst.toFixed(2),
  },
  {
    what: "The same, with a person's token of the authorization server",
    figure: `${person.median.toFixed(0)} µs`,
    beside: "the service's own token",
    ratio: (person.median / own.median).toFixed(2),
  },
  ...others.map(({ name, median }) => ({
    what: "The same",
    ...check,
    beside: name,
    ratio: (own.median / median).toFixed(2),
  })),
  {
    what: "Checks per second of one process, 64 requests at a time, verified in threads",
    figure: concurrent.checksPerSecond.toFixed(0),
    beside: "verified one after the other",
    ratio: (concurrent.checksPerSecond / synchronous.checksPerSecond).toFixed(2),
  },
]);
const fastest = Math.min(...others.map(({ median }) => median));
print(
  `${conditions(samples)} Each of ${size.operations} requests of ${service.clients.length} clients.`,
  "",
  ...layOutMeasurements(measurements),
  "",
  `@authz/verify costs ${own.ofFirst.toFixed(2)} × the floor (best rounds ${(own.best / floor.best).toFixed(2)} ×)`,
  `and as much for a token of the authorization server: ${(person.median / own.median).toFixed(3)} × (best rounds ${(person.best / own.best).toFixed(3)} ×),`,
  `and handles ${(fastest / own.median).toFixed(1)} × the requests of the fastest other on one core.`,
  "",
  ...layOutThroughput(throughput),
);
