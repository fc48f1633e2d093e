import { DpopError, inMemory } from "@authz/dpop";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { errorOf } from "../error-of.js";
import { clock, createVerifier, draftProof, finishProof, now, proofWith, request } from "./draft.js";

const good = finishProof(draftProof());

const right = draftProof().claims;

function check(proof: string): unknown {
  return errorOf(() => createVerifier().check({ ...request, proof }));
}

test("no string is a proof", () => {
  const segment = fc.oneof(
    fc.constantFrom(...good.split(".")),
    fc.base64String(),
    fc.string({ unit: "binary" }),
  );
  const text = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.array(segment, { maxLength: 5 }).map((segments) => segments.join(".")),
  );
  fc.assert(
    fc.property(text, (proof) => {
      fc.pre(proof !== good);
      expect(check(proof)).toBeInstanceOf(DpopError);
    }),
    { numRuns: 1000 },
  );
});

test("no change of a single character leaves a proof valid", () => {
  const change = fc.tuple(
    fc.nat({ max: good.length - 1 }),
    fc.string({ minLength: 0, maxLength: 2, unit: "grapheme" }),
  );
  fc.assert(
    fc.property(change, ([position, replacement]) => {
      const changed = good.slice(0, position) + replacement + good.slice(position + 1);
      fc.pre(changed !== good);
      expect(check(changed)).toBeInstanceOf(DpopError);
    }),
    { numRuns: 1000 },
  );
});

test("a signed proof with any other value in one claim is refused, or is one of the allowed liberties", () => {
  const claim = fc.constantFrom("htm", "htu", "iat", "jti", "ath");
  fc.assert(
    fc.property(claim, fc.jsonValue(), (name, value) => {
      const proof = proofWith((draft) => (draft.claims[name] = value));
      const isLiberty = name === "jti" && typeof value === "string" && value.length > 0;
      const error = check(proof);
      expect(error === undefined ? isLiberty || value === right[name] : error instanceof DpopError).toBe(
        true,
      );
    }),
    { numRuns: 500 },
  );
});

test("a signed proof with any other header is refused with our error and never crashes the verifier", () => {
  const member = fc.constantFrom("typ", "alg", "jwk", "crit", "b64");
  fc.assert(
    fc.property(member, fc.anything(), (name, value) => {
      const proof = proofWith((draft) => {
        draft.header[name] = value;
        draft.headerJson = stringify(draft.header);
      });
      fc.pre(proof.length > 0 && !isHarmless(name, value));
      expect(check(proof)).toBeInstanceOf(DpopError);
    }),
    { numRuns: 500 },
  );
});

test("only iat decides whether a proof is fresh, at any time", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: -200, max: 200 }),
      fc.integer({ min: 0, max: 999 }),
      (seconds, milliseconds) => {
        const verifier = createVerifier({
          clock: () => (now + seconds) * 1000 + milliseconds,
          replayStore: inMemory({ clock }),
        });
        const error = errorOf(() => verifier.check({ ...request, proof: good }));
        expect(error === undefined).toBe(seconds >= -5 && seconds <= 60);
      },
    ),
  );
});

/** JSON of values that may hold what JSON has no word for. */
function stringify(value: unknown): string {
  try {
    return (
      JSON.stringify(value, (_, item: unknown) => (typeof item === "bigint" ? String(item) : item)) ?? "null"
    );
  } catch {
    return "null";
  }
}

/** A member whose value JSON leaves out is not there. */
function isHarmless(name: string, value: unknown): boolean {
  return (name === "crit" || name === "b64") && (value === undefined || typeof value === "symbol");
}
