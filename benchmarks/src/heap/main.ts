/**
 * What stays in memory after many distinct tokens, keys and proofs went through one service.
 *
 *     npm run bench -- heap [--short]
 */
import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { inMemory, type PrivateJwk } from "@authz/dpop";
import { createTestIssuer } from "@authz/testing";
import { initAuthz } from "@authz/verify";
import type { Batch, Presented, ServiceFacts } from "./clients.js";

const { values } = parseArgs({ options: { short: { type: "boolean", default: false } } });
const total = values.short ? 20_000 : 1_000_000;
const steps = 10;
const batchSize = 1_000;
const path = "/api/contracts";
const scope = "contracts:read";

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

// Time goes by with the requests, a thousand a second, so that what may be forgotten is.
let now = Date.now();
const clock = () => now;
const issuer = await createTestIssuer({ supportedScopes: [scope], clock, replayStore: inMemory({ clock }) });
const { publicOrigin, resource, signingKey } = issuer.options;
const authz = initAuthz(issuer.url, issuer.options);
const policy = authz.definePolicy({ scopes: [scope] });
const facts: ServiceFacts = {
  publicOrigin,
  resource,
  scope,
  url: publicOrigin + path,
  signingKey: signingKey as { kid: string; privateJwk: PrivateJwk },
};
const clients = fork(fileURLToPath(new URL("./clients.js", import.meta.url)), [JSON.stringify(facts)]);

report("before the first");
let next = prepareBatch(now);
for (let done = 0; done < total; done += batchSize) {
  const requests = await next;
  // The clients prepare the next requests while these are served.
  if (done + batchSize < total) next = prepareBatch(now + batchSize);
  for (const request of requests) await serve(request);
  if ((done + batchSize) % (total / steps) === 0) report(`after ${(done + batchSize).toLocaleString("en")}`);
}
clients.disconnect();

async function prepareBatch(from: number): Promise<readonly Presented[]> {
  const answer = once(clients, "message") as Promise<[readonly Presented[]]>;
  clients.send({ from, count: batchSize } satisfies Batch);
  return (await answer)[0];
}

async function serve({ accessToken, proof }: Presented): Promise<void> {
  const authorization = [`DPoP ${accessToken}`];
  const decision = await authz.decide({ method: "GET", url: path, authorization, dpop: [proof] }, policy);
  if (decision.refusal !== undefined) throw new Error(`A request was refused: ${decision.refusal.body}`);
  now += 1;
}

function report(when: string): void {
  collectGarbage();
  const { heapUsed, external, rss } = process.memoryUsage();
  process.stdout.write(
    `${when.padEnd(18)} heap ${mebibytes(heapUsed)} MiB   outside ${mebibytes(external)} MiB   resident ${mebibytes(rss)} MiB\n`,
  );
}

function mebibytes(bytes: number): string {
  return (bytes / 2 ** 20).toFixed(0).padStart(5);
}
