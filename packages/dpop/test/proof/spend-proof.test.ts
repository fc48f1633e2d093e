import {
  DpopError,
  inMemory,
  type ReplayRecord,
  type ReplayStore,
  ReplayStoreUnavailableError,
} from "@authz/dpop";
import { describe, expect, test } from "vitest";
import { refusals } from "./cases.js";
import { clock, createVerifier, now, otherKey, proofWith, request } from "./draft.js";

describe("a proof is used up", () => {
  test("by the first of two presentations", async () => {
    const verifier = createVerifier();
    const input = { ...request, proof: proofWith(() => {}) };
    await verifier.verify(input);
    await expect(verifier.verify(input)).rejects.toMatchObject({
      code: "invalid_dpop_proof",
      reason: "replayed",
    });
  });

  test("by exactly one of fifty concurrent presentations", async () => {
    const verifier = createVerifier();
    const input = { ...request, proof: proofWith(() => {}) };
    const results = await Promise.allSettled(Array.from({ length: 50 }, () => verifier.verify(input)));
    expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  });

  test("for everyone who signs the same jti with the same key", async () => {
    const verifier = createVerifier();
    await verifier.verify({ ...request, proof: proofWith((draft) => (draft.claims["jti"] = "one")) });
    const another = proofWith((draft) => Object.assign(draft.claims, { jti: "one", iat: now - 1 }));
    await expect(verifier.verify({ ...request, proof: another })).rejects.toMatchObject({
      reason: "replayed",
    });
  });

  test("but the same jti of another key is another proof", async () => {
    const verifier = createVerifier();
    await verifier.verify({ ...request, proof: proofWith((draft) => (draft.claims["jti"] = "one")) });
    const another = proofWith((draft) => {
      draft.claims["jti"] = "one";
      draft.header["jwk"] = otherKey.publicKey.export({ format: "jwk" });
      draft.signingKey = otherKey.privateKey;
    });
    await expect(verifier.verify({ ...request, proof: another })).resolves.toBeDefined();
  });

  test("by spendProof, in the second phase of a server that decides other things in between", async () => {
    const verifier = createVerifier();
    const checked = verifier.check({ ...request, proof: proofWith(() => {}) });
    expect(verifier.spend(checked)).toBeUndefined();
    expect(() => verifier.spend(checked)).toThrow(expect.objectContaining({ reason: "replayed" }));
  });

  test("in a store that answers later, in one phase and in two", async () => {
    const known = new Set<string>();
    const consume = async ({ key }: ReplayRecord): Promise<boolean> => known.size < known.add(key).size;
    const verifier = createVerifier({ replayStore: { consume } });
    const input = { ...request, proof: proofWith(() => {}) };
    const checked = verifier.check(input);
    await expect(verifier.verify(input)).resolves.toMatchObject({ jti: checked.jti });
    await expect(verifier.verify(input)).rejects.toMatchObject({ reason: "replayed" });
    await expect(verifier.spend(checked)).rejects.toMatchObject({ reason: "replayed" });
    const next = verifier.check({ ...request, proof: proofWith(() => {}) });
    await expect(verifier.spend(next)).resolves.toBeUndefined();
  });

  test("also when only its four facts are left of it", async () => {
    const verifier = createVerifier();
    const checked = { ...verifier.check({ ...request, proof: proofWith(() => {}) }) };
    await verifier.spend(checked);
    expect(() => verifier.spend(checked)).toThrow(expect.objectContaining({ reason: "replayed" }));
  });

  test("only by spendProof: a check leaves no trace", async () => {
    const verifier = createVerifier();
    const input = { ...request, proof: proofWith(() => {}) };
    verifier.check(input);
    verifier.check(input);
    await expect(verifier.verify(input)).resolves.toBeDefined();
  });

  test("under a key that contains neither the proof nor its jti, until the window has passed", async () => {
    const records: object[] = [];
    const replayStore = { consume: (record: object) => records.push(record) > 0 };
    await createVerifier({ replayStore }).verify({
      ...request,
      proof: proofWith((draft) => (draft.claims["jti"] = "secret-jti")),
    });
    expect(records).toEqual([{ key: expect.stringMatching(/^[\w-]{43}$/), expiresAt: now + 65 }]);
  });

  test("in memory, whether it comes straight to the store or through another one in front", async () => {
    const memory = inMemory({ clock });
    const direct = createVerifier({ replayStore: memory });
    const fronted = createVerifier({ replayStore: { consume: (record) => memory.consume(record) } });
    for (const [first, second] of [
      [fronted, direct],
      [direct, fronted],
    ] as const) {
      const input = { ...request, proof: proofWith(() => {}) };
      await first.verify(input);
      await expect(second.verify(input)).rejects.toMatchObject({ reason: "replayed" });
    }
  });

  test("in memory, by a store made of the one in memory, which sees every record", async () => {
    const records: ReplayRecord[] = [];
    const memory = inMemory({ clock });
    const consume = (record: ReplayRecord): boolean | Promise<boolean> => {
      records.push(record);
      return memory.consume(record);
    };
    for (const replayStore of [
      { ...memory, consume },
      Object.create(memory, { consume: { value: consume } }),
    ]) {
      const verifier = createVerifier({ replayStore: replayStore as ReplayStore });
      const input = { ...request, proof: proofWith(() => {}) };
      await verifier.verify(input);
      await expect(verifier.verify(input)).rejects.toMatchObject({ reason: "replayed" });
    }
    expect(records).toHaveLength(4);
  });

  test("in memory, whose broken clock is no answer", async () => {
    const replayStore = inMemory({
      clock: () => {
        throw new Error("The clock is broken.");
      },
    });
    const verification = createVerifier({ replayStore }).verify({ ...request, proof: proofWith(() => {}) });
    await expect(verification).rejects.toBeInstanceOf(ReplayStoreUnavailableError);
  });

  test("never when the proof is refused", async () => {
    let asked = 0;
    const replayStore = { consume: () => ++asked > 0 };
    const verifier = createVerifier({ replayStore });
    for (const { change } of refusals) {
      await expect(verifier.verify({ ...request, proof: proofWith(change) })).rejects.toThrow(DpopError);
    }
    expect(asked).toBe(0);
  });
});

describe("a replay store that fails", () => {
  const failures: { name: string; consume: () => unknown }[] = [
    {
      name: "throws",
      consume: () => {
        throw new Error("down");
      },
    },
    { name: "rejects", consume: () => Promise.reject(new Error("down")) },
    { name: "throws no error object", consume: () => Promise.reject("down") },
    { name: "answers nothing", consume: () => undefined },
    { name: "answers nothing later", consume: () => Promise.resolve() },
    { name: "answers with a number later", consume: () => Promise.resolve(1) },
    {
      name: "rejects with its own unavailability",
      consume: () => Promise.reject(new ReplayStoreUnavailableError("away")),
    },
    { name: "answers something truthy", consume: () => "OK" },
    {
      name: "throws its own unavailability",
      consume: () => {
        throw new ReplayStoreUnavailableError("full");
      },
    },
  ];

  test.each(failures)("and $name accepts nothing", async ({ consume }) => {
    const verifier = createVerifier({ replayStore: { consume: consume as () => boolean } });
    const verification = verifier.verify({ ...request, proof: proofWith(() => {}) });
    await expect(verification).rejects.toBeInstanceOf(ReplayStoreUnavailableError);
  });
});
