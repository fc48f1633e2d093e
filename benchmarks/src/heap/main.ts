/**
 * What stays in memory after many distinct tokens, keys and proofs went through one service.
 *
 *     npm run bench -- heap [--short]
 */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { parseArgs } from "node:util";
import { createProofSigner, generateEs256KeyPair, inMemory } from "@authz/dpop";
import { createTestIssuer } from "@authz/testing";
import { initAuthz } from "@authz/verify";

const { values } = parseArgs({ options: { short: { type: "boolean", default: false } } });
const total = values.short ? 20_000 : 1_000_000;
const steps = 10;
const path = "/api/contracts";

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

// Time goes by with the requests, a thousand a second, so that what may be forgotten is.
let now = Date.now();
const issuer = await createTestIssuer({
  supportedScopes: ["contracts:read"],
  clock: () => now,
  replayStore: inMemory({ clock: () => now }),
});
const authz = initAuthz(issuer.url, issuer.options);
const policy = authz.definePolicy({ scopes: ["contracts:read"] });
const url = issuer.options.publicOrigin + path;

report("before the first");
for (let step = 1; step <= steps; step += 1) {
  for (let index = 0; index < total / steps; index += 1) await sendRequest();
  report(`after ${((total / steps) * step).toLocaleString("en")}`);
}

async function sendRequest(): Promise<void> {
  now += 1;
  const signer = createProofSigner(await generateEs256KeyPair(), { clock: () => now });
  const accessToken = await issuer.issueAccessToken(signer);
  const dpop = signer.sign({ method: "GET", url, accessToken });
  await authz.authenticate(
    { method: "GET", url: path, authorization: [`DPoP ${accessToken}`], dpop: [dpop] },
    policy,
  );
}

function report(when: string): void {
  collectGarbage();
  const { heapUsed, rss } = process.memoryUsage();
  process.stdout.write(
    `${when.padEnd(18)} heap ${mebibytes(heapUsed)} MiB   resident ${mebibytes(rss)} MiB\n`,
  );
}

function mebibytes(bytes: number): string {
  return (bytes / 2 ** 20).toFixed(0).padStart(5);
}
