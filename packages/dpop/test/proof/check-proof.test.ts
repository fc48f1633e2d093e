import {
  createNonceSource,
  createProofChecker,
  DpopError,
  type DpopErrorReason,
  jwkThumbprint,
  type ProofChecker,
  type ProofCheckerOptions,
  type ProofInput,
  type ProofKeyHandle,
  type PublicJwk,
  type VerifiedProof,
} from "@authz/dpop";
import { describe, expect, test } from "vitest";
import { errorOf } from "../error-of.js";
import { accepted, n, offCurve, type Refusal, refusals } from "./cases.js";
import {
  clock,
  createVerifier,
  draftProof,
  finishProof,
  now,
  otherKey,
  type ProofDraft,
  proofWith,
  publicJwk,
  request,
} from "./draft.js";

function reasonOf(run: () => unknown): DpopErrorReason | undefined {
  const error = errorOf(run);
  if (error === undefined || error instanceof DpopError) return error?.reason;
  throw error;
}

test("a proof is judged by its own signature when a clock checks another proof in between", () => {
  const right = createProofChecker({ clock });
  const other = { ...request, proof: proofWith(() => {}) };
  const checker = createProofChecker({
    clock: () => {
      right.check(other);
      return clock();
    },
  });
  const forged = proofWith((draft) => {
    draft.changeSignature = (signature) => Buffer.alloc(signature.length, 1);
  });
  expect(reasonOf(() => checker.check({ ...request, proof: forged }))).toBe("bad_signature");
  expect(checker.check({ ...request, proof: proofWith(() => {}) })).toMatchObject({ iat: now });
});

describe("a proof is accepted", () => {
  test.each(accepted)("$name", ({ change }) => {
    const proof = createVerifier().check({ ...request, proof: proofWith(change) });
    expect(proof.thumbprint).toBe(jwkThumbprint(publicJwk));
  });

  test("without an ath when it comes without an access token", () => {
    const proof = proofWith((draft) => delete draft.claims["ath"]);
    expect(createVerifier().check({ proof, method: "GET", url: request.url })).toMatchObject({ iat: now });
  });

  test("for a request with a query", () => {
    const url = `${request.url}?page=2`;
    expect(createVerifier().check({ ...request, url, proof: proofWith(() => {}) })).toMatchObject({
      iat: now,
    });
  });

  test("with the malleated twin of its signature, which is as valid and a replay of the same jti", async () => {
    const verifier = createVerifier();
    const draft = draftProof();
    await verifier.verify({ ...request, proof: finishProof(draft) });
    draft.changeSignature = (signature) => {
      const s = BigInt(`0x${n.toString("hex")}`) - BigInt(`0x${signature.toString("hex", 32)}`);
      return Buffer.concat([signature.subarray(0, 32), Buffer.from(s.toString(16).padStart(64, "0"), "hex")]);
    };
    const twin = { ...request, proof: finishProof(draft) };
    expect(verifier.check(twin)).toMatchObject({ iat: now });
    await expect(verifier.verify(twin)).rejects.toMatchObject({ reason: "replayed" });
  });
});

describe("a proof is refused when it", () => {
  test.each(refusals)("$name", ({ change, reason }) => {
    const proof = proofWith(change);
    expect(reasonOf(() => createVerifier().check({ ...request, proof }))).toBe(reason);
  });

  test.each(refusals)("$name, also from a known client", async ({ change, reason }) => {
    const verifier = createVerifier();
    await verifier.verify({ ...request, proof: proofWith(() => {}) });
    expect(reasonOf(() => verifier.check({ ...request, proof: proofWith(change) }))).toBe(reason);
  });

  test("is no string at all", () => {
    const proof = undefined as unknown as string;
    expect(reasonOf(() => createVerifier().check({ ...request, proof }))).toBe("not_compact");
  });

  test("has its key cached under a header that is spelled a little differently", async () => {
    const verifier = createVerifier();
    const draft = draftProof();
    await verifier.verify({ ...request, proof: finishProof(draft) });
    const respelled = proofWith((other) => {
      other.headerJson = ` ${JSON.stringify(other.header)}`;
      other.signingKey = otherKey.privateKey;
    });
    expect(reasonOf(() => verifier.check({ ...request, proof: respelled }))).toBe("bad_signature");
  });
});

/** Checks one proof while others of the same checker are under way, so that a thread verifies it. */
async function checkUnderLoad(checker: ProofChecker, input: ProofInput): Promise<VerifiedProof> {
  const others = Array.from({ length: 4 }, async () =>
    checker.checkConcurrently({ ...request, proof: proofWith(() => {}) }),
  );
  const checked = checker.checkConcurrently(input);
  expect(checked).toBeInstanceOf(Promise);
  const [answer] = await Promise.all([checked, ...others]);
  return answer;
}

describe("with others under way", () => {
  test.each(accepted)("a proof is accepted: $name", async ({ change }) => {
    const proof = await checkUnderLoad(createProofChecker({ clock }), {
      ...request,
      proof: proofWith(change),
    });
    expect(proof.thumbprint).toBe(jwkThumbprint(publicJwk));
  });

  test.each(refusals)("a proof is refused when it $name", async ({ change, reason }) => {
    const checker = createProofChecker({ clock });
    const other = checker.checkConcurrently({ ...request, proof: proofWith(() => {}) });
    const check = async () => checkUnderLoad(checker, { ...request, proof: proofWith(change) });
    await expect(check()).rejects.toMatchObject({ reason });
    await other;
  });

  test("each answer is about its own proof", async () => {
    const checker = createProofChecker({ clock });
    const proofs = Array.from({ length: 200 }, (_, index) =>
      proofWith((draft) => {
        if (index % 3 === 0) draft.signingKey = otherKey.privateKey;
        draft.claims["jti"] = `jti-${index}`;
      }),
    );
    const checking = proofs.map(async (proof) => checker.checkConcurrently({ ...request, proof }));
    const results = await Promise.allSettled(checking);
    const wanted = proofs.map((_, index) =>
      index % 3 === 0 ? { reason: { reason: "bad_signature" } } : { value: { jti: `jti-${index}` } },
    );
    expect(results).toMatchObject(wanted);
  });

  test("a proof alone is answered at once", async () => {
    await new Promise((resolve) => setImmediate(resolve));
    const checker = createProofChecker({ clock });
    expect(checker.checkConcurrently({ ...request, proof: proofWith(() => {}) })).toMatchObject({ iat: now });
  });

  test("no more than 32 wait at a time", async () => {
    const checker = createProofChecker({ clock });
    const proofs = Array.from({ length: 100 }, () => proofWith(() => {}));
    const answers = proofs.map((proof) => checker.checkConcurrently({ ...request, proof }));
    const waiting = answers.filter((answer) => answer instanceof Promise);
    expect(waiting).toHaveLength(32);
    await Promise.all(waiting);
  });
});

describe("with the key that is expected", () => {
  const change = (draft: ProofDraft) => void (draft.claims["jti"] = "again");

  function recognize(checker: ProofChecker): ProofKeyHandle | undefined {
    const checked = checker.check({ ...request, proof: proofWith(() => {}) });
    checker.remember(checked);
    return checker.keyOf(checked);
  }

  test.each(refusals)("a proof is refused when it $name", ({ change: changeOne, reason }) => {
    const checker = createProofChecker({ clock });
    const expectedKey = recognize(checker);
    expect(expectedKey).toBeDefined();
    const proof = proofWith(changeOne);
    expect(reasonOf(() => checker.check({ ...request, proof, expectedKey }))).toBe(reason);
  });

  test("a proof of another key is one of that key", () => {
    const checker = createProofChecker({ clock });
    const expectedKey = recognize(checker);
    const jwk = otherKey.publicKey.export({ format: "jwk" }) as unknown as PublicJwk;
    const proof = proofWith((draft) => {
      draft.header["jwk"] = jwk;
      draft.signingKey = otherKey.privateKey;
    });
    expect(checker.check({ ...request, proof, expectedKey }).thumbprint).toBe(jwkThumbprint(jwk));
  });

  test("a key of another checker, and one that is none, count for nothing", () => {
    const [checker, other] = [createProofChecker({ clock }), createProofChecker({ clock })];
    const foreign = [recognize(other), { thumbprint: jwkThumbprint(publicJwk) }];
    for (const expectedKey of foreign) {
      const checked = checker.check({ ...request, proof: proofWith(change), expectedKey });
      expect(checked.thumbprint).toBe(jwkThumbprint(publicJwk));
      expect(checker.keyOf(checked)).toBeUndefined();
    }
  });

  test("a key that left the cache is imported again", () => {
    const checker = createProofChecker({ clock, keyCacheSize: 1 });
    const expectedKey = recognize(checker);
    const proof = proofWith((draft) => {
      draft.header["jwk"] = otherKey.publicKey.export({ format: "jwk" });
      draft.signingKey = otherKey.privateKey;
    });
    checker.remember(checker.check({ ...request, proof }));
    const checked = checker.check({ ...request, proof: proofWith(change), expectedKey });
    expect(checked.thumbprint).toBe(expectedKey?.thumbprint);
  });

  test("only a remembered proof has one", () => {
    const checker = createProofChecker({ clock });
    expect(checker.keyOf(checker.check({ ...request, proof: proofWith(change) }))).toBeUndefined();
  });
});

describe("the error of a refusal", () => {
  test("has the wire code and never quotes the proof", () => {
    const proof = proofWith((draft) => (draft.claimsJson = '{"secret-claim": oops}'));
    const error = errorOf(() => createVerifier().check({ ...request, proof }));
    expect(error).toBeInstanceOf(DpopError);
    expect(error).toMatchObject({ name: "DpopError", code: "invalid_dpop_proof", reason: "not_json" });
    expect(`${(error as Error).stack}${String((error as Error).cause)}`).not.toContain("secret-claim");
  });

  test("of the application is passed on as it is", () => {
    const broken = new Error("clock stopped");
    const verifier = createVerifier({
      clock: () => {
        throw broken;
      },
    });
    expect(() => verifier.check({ ...request, proof: proofWith(() => {}) })).toThrow(broken);
  });
});

describe("a clock that is ahead", () => {
  const ahead = (seconds: number) => proofWith((draft) => (draft.claims["iat"] = now + seconds));

  test.each([0, 5, 60, 300])("passes up to %d seconds, where that many are allowed", (seconds) => {
    const verifier = createVerifier({ clockToleranceSeconds: seconds });
    expect(verifier.check({ ...request, proof: ahead(seconds) }).iat).toBe(now + seconds);
    const beyond = { ...request, proof: ahead(seconds + 1) };
    expect(() => verifier.check(beyond)).toThrow(
      expect.objectContaining({ reason: "from_the_future", ageSeconds: -(seconds + 1) }),
    );
  });

  test("is remembered until the last second in which its proof could pass, and no longer", () => {
    let time = now;
    const options = { clock: () => time * 1000, clockToleranceSeconds: 300 };
    const input = { ...request, proof: ahead(300) };
    const { expiresAt } = createVerifier(options).check(input);
    expect(expiresAt).toBe(now + 300 + 65);
    time = now + 360;
    expect(createVerifier(options).check(input).expiresAt).toBe(expiresAt);
    time = now + 361;
    expect(reasonOf(() => createVerifier(options).check(input))).toBe("too_old");
  });
});

test.each([
  { iat: now - 61, reason: "too_old", ageSeconds: 61, says: "61 seconds ago" },
  { iat: now + 42, reason: "from_the_future", ageSeconds: -42, says: "42 seconds in the future" },
])("a proof that was made $says is refused with that", ({ iat, reason, ageSeconds, says }) => {
  const proof = proofWith((draft) => (draft.claims["iat"] = iat));
  const error = errorOf(() => createVerifier().check({ ...request, proof }));
  expect(error).toMatchObject({ reason, ageSeconds });
  expect((error as Error).message).toContain(says);
});

describe("with server nonces", () => {
  const nonces = createNonceSource({ secret: "s".repeat(32), clock });

  test("a proof with the current nonce is accepted", () => {
    const proof = proofWith((draft) => (draft.claims["nonce"] = nonces.current()));
    expect(createVerifier({ nonces }).check({ ...request, proof })).toMatchObject({ iat: now });
  });

  test.each<Refusal>([
    { name: "without a nonce", change: () => {}, reason: "missing_nonce" },
    {
      name: "with a foreign nonce",
      change: (draft) => (draft.claims["nonce"] = "foreign"),
      reason: "wrong_nonce",
    },
    {
      name: "with a nonce that is no string",
      change: (draft) => (draft.claims["nonce"] = [nonces.current()]),
      reason: "wrong_nonce",
    },
  ])("a proof $name is refused with use_dpop_nonce", ({ change, reason }) => {
    const check = () => createVerifier({ nonces }).check({ ...request, proof: proofWith(change) });
    expect(check).toThrow(expect.objectContaining({ code: "use_dpop_nonce", reason }));
  });
});

describe("the examples of RFC 9449", () => {
  const header =
    "eyJ0eXAiOiJkcG9wK2p3dCIsImFsZyI6IkVTMjU2IiwiandrIjp7Imt0eSI6IkVDIiwieCI6Imw4dEZyaHgtMzR0VjNoUklDUkRZOXpDa0RscEJoRjQyVVFVZldWQVdCRnMiLCJ5IjoiOVZFNGpmX09rX282NHpiVFRsY3VOSmFqSG10NnY5VERWclUwQ2R2R1JEQSIsImNydiI6IlAtMjU2In19";
  const verifier = createProofChecker({ clock: () => 1_562_262_620_000 });
  const thumbprint = "0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I";

  test("for a token request (§5) is accepted", () => {
    const proof = `${header}.eyJqdGkiOiItQndDM0VTYzZhY2MybFRjIiwiaHRtIjoiUE9TVCIsImh0dSI6Imh0dHBzOi8vc2VydmVyLmV4YW1wbGUuY29tL3Rva2VuIiwiaWF0IjoxNTYyMjYyNjE2fQ.2-GxA6T8lP4vfrg8v-FdWP0A0zdrj8igiMLvqRMUvwnQg4PtFLbdLXiOSsX0x7NVY-FNyJK70nfbV37xRZT3Lg`;
    const verified = verifier.check({ proof, method: "POST", url: "https://server.example.com/token" });
    expect(verified).toMatchObject({ thumbprint, jti: "-BwC3ESc6acc2lTc", iat: 1_562_262_616 });
  });

  test("for a protected resource (§7.1) is accepted", () => {
    const proof = `${header}.eyJqdGkiOiJlMWozVl9iS2ljOC1MQUVCIiwiaHRtIjoiR0VUIiwiaHR1IjoiaHR0cHM6Ly9yZXNvdXJjZS5leGFtcGxlLm9yZy9wcm90ZWN0ZWRyZXNvdXJjZSIsImlhdCI6MTU2MjI2MjYxOCwiYXRoIjoiZlVIeU8ycjJaM0RaNTNFc05yV0JiMHhXWG9hTnk1OUlpS0NBcWtzbVFFbyJ9.2oW9RP35yRqzhrtNP86L-Ey71EOptxRimPPToA1plemAgR6pxHF8y6-yqyVnmcw6Fy1dqd-jfxSYoMxhAJpLjA`;
    const verified = verifier.check({
      proof,
      method: "GET",
      url: "https://resource.example.org/protectedresource",
      accessTokenHash: "fUHyO2r2Z3DZ53EsNrWBb0xWXoaNy59IiKCAqksmQEo",
    });
    expect(verified).toMatchObject({ thumbprint, jti: "e1j3V_bKic8-LAEB" });
  });
});

describe("the work is done in the cheapest order", () => {
  test("a key is imported only when the claims are right", () => {
    const proof = proofWith((draft) => {
      draft.header["jwk"] = offCurve;
      draft.claims["iat"] = now - 61;
    });
    expect(reasonOf(() => createVerifier().check({ ...request, proof }))).toBe("too_old");
  });

  test("a verifier without a cache decides the same", async () => {
    const verifier = createVerifier({ keyCacheSize: 0 });
    await verifier.verify({ ...request, proof: proofWith(() => {}) });
    expect(verifier.check({ ...request, proof: proofWith(() => {}) })).toMatchObject({ iat: now });
  });
});

describe("misuse is a TypeError that names the option", () => {
  test.each<{ name: string; options: unknown; message: string }>([
    { name: "no options", options: null, message: "options" },
    { name: "a replay store", options: { replayStore: {} }, message: '"replayStore"' },
    { name: "an unknown option", options: { maxAge: 60 }, message: '"maxAge"' },
    { name: "a clock that is a number", options: { clock: 1 }, message: "clock" },
    { name: "an age of nothing", options: { maxAgeSeconds: 0 }, message: "maxAgeSeconds" },
    {
      name: "an age that is a string",
      options: { maxAgeSeconds: "60" },
      message: "maxAgeSeconds",
    },
    {
      name: "an endless tolerance",
      options: { clockToleranceSeconds: Infinity },
      message: "clockToleranceSeconds",
    },
    {
      name: "a tolerance of more than five minutes",
      options: { clockToleranceSeconds: 301 },
      message: "clockToleranceSeconds",
    },
    { name: "a negative cache", options: { keyCacheSize: -1 }, message: "keyCacheSize" },
    { name: "nonces that are a list", options: { nonces: ["x"] }, message: "nonces" },
  ])("$name", ({ options, message }) => {
    const create = () => createProofChecker(options as ProofCheckerOptions);
    expect(create).toThrow(TypeError);
    expect(create).toThrow(message);
  });
});
