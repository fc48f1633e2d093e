/**
 * What one proof costs in CPU time, beside the one P-256 operation that nobody can avoid.
 *
 *     npm run bench -- verification [--short]
 */
import { createPrivateKey, sign } from "node:crypto";
import { parseArgs } from "node:util";
import {
  createProofChecker,
  createProofSigner,
  type Es256KeyPair,
  generateEs256KeyPair,
  inMemory,
  type ProofInput,
  type ProofSigner,
  spendProof,
} from "@authz/dpop";
import { sha256Base64url } from "@authz/dpop/jws";
import { bareVerify, floorName } from "../floor.js";
import {
  type Contender,
  defineContender,
  formatTable,
  type Measurement,
  measureInterleaved,
} from "../measure.js";

const { values } = parseArgs({ options: { short: { type: "boolean", default: false } } });
const size = values.short ? { rounds: 5, operations: 500 } : { rounds: 31, operations: 2000 };

const request = { method: "GET", url: "https://api.example/api/contracts" };
const accessToken = "eyJ0eXAiOiJhdCtqd3QifQ".padEnd(800, "x");
const accessTokenHash = sha256Base64url(accessToken);

/** Enough clients to make cache lookups real, few enough to stay warm. */
const clients = await Promise.all(Array.from({ length: 200 }, () => generateEs256KeyPair()));
const signers = clients.map((keyPair) => createProofSigner(keyPair));

const signingFloor = "crypto.sign";

const measurements = await measureInterleaved(
  [
    bareVerify(clients),
    proofContender("check", { spends: false }),
    proofContender("check and spend, inMemory()"),
    proofContender("check and spend, unknown clients", { keyCacheSize: 0 }),
    bareSign(clients[0] as Es256KeyPair),
    defineContender<ProofSigner>({
      name: "sign",
      prepare: (count) => Array.from({ length: count }, () => signers[0] as ProofSigner),
      run: (signer) => signer.sign({ ...request, accessToken }),
    }),
  ],
  size,
);

process.stdout.write(
  [
    `Node ${process.version}, ${size.rounds} interleaved rounds of ${size.operations} operations, distinct proofs of ${clients.length} clients`,
    "",
    formatTable(measurements.slice(0, 4), named(floorName)),
    "",
    formatTable(measurements.slice(4), named(signingFloor)),
    "",
  ].join("\n"),
);

function proofContender(
  name: string,
  { spends = true, keyCacheSize = 10_000 }: { spends?: boolean; keyCacheSize?: number } = {},
): Contender<unknown> {
  const checker = createProofChecker({ keyCacheSize });
  const replayStore = inMemory({ maxEntries: 10_000_000 });
  return defineContender<ProofInput>({
    name,
    async prepare(count) {
      // Two accepted proofs make a client's key a protected entry of the cache.
      for (const input of [...makeProofs(signers.length), ...makeProofs(signers.length)]) {
        await spendProof(checker.check(input), replayStore);
      }
      return makeProofs(count);
    },
    run: (input) => (spends ? spendProof(checker.check(input), replayStore) : checker.check(input)),
  });
}

function makeProofs(count: number): ProofInput[] {
  return Array.from({ length: count }, (_, index) => {
    const signer = signers[index % signers.length] as ProofSigner;
    return { ...request, accessTokenHash, proof: signer.sign({ ...request, accessToken }) };
  });
}

function bareSign({ privateJwk }: Es256KeyPair): Contender<unknown> {
  const privateKey = createPrivateKey({ key: { ...privateJwk }, format: "jwk" });
  return defineContender<Buffer>({
    name: signingFloor,
    prepare: (count) => Array.from({ length: count }, (_, index) => Buffer.alloc(480, index)),
    run: (data) => sign("sha256", data, privateKey),
  });
}

function named(name: string): Measurement {
  const measurement = measurements.find((candidate) => candidate.name === name);
  if (measurement === undefined) throw new Error(`Nothing was measured under the name "${name}".`);
  return measurement;
}
