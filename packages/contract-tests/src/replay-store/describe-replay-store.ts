import {
  createProofChecker,
  createProofSigner,
  generateEs256KeyPair,
  ReplayStoreUnavailableError,
  spendProof,
} from "@authz/dpop";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { CreatedReplayStore, SharedReplayStore } from "./open-replay-store.js";
import { presentInProcesses } from "./several-processes.js";

/**
 * The table that every replay store passes.
 *
 * @param createStore - opens a store in which no key is known
 * @param shared - what is needed to test a store that several processes share
 */
export function describeReplayStore(
  name: string,
  createStore: () => Promise<CreatedReplayStore>,
  shared?: SharedReplayStore,
): void {
  describe(`${name} keeps the contract of a replay store:`, () => {
    let created: CreatedReplayStore;
    beforeEach(async () => {
      created = await createStore();
    });
    afterEach(async () => {
      await created.close();
    });
    const consume = async (key: string, lifeSeconds = 65): Promise<boolean> =>
      created.store.consume({ key, expiresAt: nowInSeconds() + lifeSeconds });

    test("a key is accepted the first time only", async () => {
      expect(await consume("a")).toBe(true);
      expect(await consume("a")).toBe(false);
      expect(await consume("a")).toBe(false);
    });

    test("keys do not get in each other's way", async () => {
      expect(await consume("a")).toBe(true);
      expect(await consume("b")).toBe(true);
      expect(await consume("a")).toBe(false);
    });

    test.each(similarKeys)("keys that differ in %s are different", async (_, one, two) => {
      expect(await consume(one)).toBe(true);
      expect(await consume(two)).toBe(true);
      expect(await consume(one)).toBe(false);
      expect(await consume(two)).toBe(false);
    });

    test.each(awkwardKeys)("%s is a key like any other", async (_, key) => {
      expect(await consume(key)).toBe(true);
      expect(await consume(key)).toBe(false);
    });

    test("the last second of a key's life counts", async () => {
      expect(await consume("a", 0)).toBe(true);
      expect(await consume("a", 0)).toBe(false);
    });

    test("a key is known for any lifetime of its next use", async () => {
      expect(await consume("a", 65)).toBe(true);
      expect(await consume("a", 300)).toBe(false);
      expect(await consume("b", 300)).toBe(true);
      expect(await consume("b", 65)).toBe(false);
    });

    test("of fifty concurrent uses of one key exactly one is accepted", async () => {
      const answers = await Promise.all(Array.from({ length: 50 }, () => consume("a")));
      expect(answers.filter(Boolean)).toHaveLength(1);
    });

    test("fifty concurrent uses of fifty keys are all accepted", async () => {
      const answers = await Promise.all(Array.from({ length: 50 }, (_, index) => consume(`key-${index}`)));
      expect(answers.filter(Boolean)).toHaveLength(50);
    });

    test("a proof that one process accepted is refused by another", async () => {
      const signer = createProofSigner(await generateEs256KeyPair());
      const input = { ...request, proof: signer.sign(request) };
      const spend = async () => spendProof(createProofChecker().check(input), created.store);
      await spend();
      await expect(spend()).rejects.toMatchObject({ reason: "replayed" });
    });

    if (shared !== undefined) describeShared(shared, () => created);
  });
}

const request = { method: "GET", url: "https://api.example/contracts" };

const similarKeys: [string, string, string][] = [
  ["case", "key", "KEY"],
  ["a space at the end", "key", "key "],
  ["their last character", `${"k".repeat(254)}1`, `${"k".repeat(254)}2`],
  ["a leading zero", "1", "01"],
];

const awkwardKeys: [string, string][] = [
  ["a string of 255 characters", "k".repeat(255)],
  [
    "a string of every printable character",
    String.fromCharCode(...Array.from({ length: 95 }, (_, i) => 32 + i)),
  ],
  ["a string that ends an SQL statement", "'); DROP TABLE authz_replays; --"],
  ["a string that looks like a parameter", "$1 :key ? %s {key}"],
  ["__proto__", "__proto__"],
];

function describeShared(shared: SharedReplayStore, created: () => CreatedReplayStore): void {
  test("of fifty parallel presentations in five processes exactly one is accepted", async () => {
    const signer = createProofSigner(await generateEs256KeyPair());
    const outcomes = await presentInProcesses(shared.openerModule, created().address ?? "", {
      ...request,
      proof: signer.sign(request),
      count: 10,
      processes: 5,
    });
    expect(outcomes.toSorted()).toEqual(["accepted", ...Array.from({ length: 49 }, () => "replayed")]);
  });

  test("when the store is away, nothing is accepted", async () => {
    const unreachable = await shared.openUnreachable();
    const signer = createProofSigner(await generateEs256KeyPair());
    const checker = createProofChecker();
    const uses = Array.from({ length: 5 }, async () =>
      spendProof(checker.check({ ...request, proof: signer.sign(request) }), unreachable.store),
    );
    const results = await Promise.allSettled(uses);
    await unreachable.close();
    for (const result of results) {
      expect(result).toMatchObject({ status: "rejected", reason: expect.any(ReplayStoreUnavailableError) });
    }
  });
}

function nowInSeconds(): number {
  return Math.floor(Date.now() / 1000);
}
