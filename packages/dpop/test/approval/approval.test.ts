import { readFileSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import {
  type AuthorizationDetail,
  type Call,
  callDigest,
  contentDigest,
  createTxn,
  grantDetail,
  isTxnOf,
  parseTxn,
  readGrantedDetail,
} from "@authz/dpop/approval";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";

interface Vector {
  readonly name: string;
  readonly call: Call;
  readonly digest: string;
}

const { vectors, bodies } = JSON.parse(
  readFileSync(new URL("./call-digest.json", import.meta.url), "utf8"),
) as {
  readonly vectors: readonly Vector[];
  readonly bodies: readonly { readonly body: string; readonly contentDigest: string }[];
};

const call: Call = {
  issuer: "https://contracts.example",
  subject: "ada",
  actor: "https://agent.example/client.json",
  sessionId: "f3b1",
  method: "DELETE",
  url: "https://contracts.example/api/contracts/7?force=1&why=old",
  headers: { "idempotency-key": "7c3e" },
  authorizationDetail: {
    type: "contract_deletion",
    actions: ["delete"],
    contract: { title: "Lease", version: 3 },
    content_digest: contentDigest(Buffer.alloc(0)),
  },
};

test.each(vectors)("the digest of $name is that of the vector", ({ call: vector, digest }) => {
  expect(callDigest(vector)).toBe(digest);
});

test.each(bodies)("the body $body has the digest of the vector", ({ body, contentDigest: digest }) => {
  expect(contentDigest(Buffer.from(body))).toBe(digest);
});

describe("the digest changes with", () => {
  test.each<[string, Partial<Call>]>([
    ["the service", { issuer: "https://contracts.example/" }],
    ["the person", { subject: "Ada" }],
    ["the app", { actor: "https://agent.example/client.json#" }],
    ["the session", { sessionId: "f3b2" }],
    ["the method", { method: "delete" }],
    ["the host", { url: "https://contracts2.example/api/contracts/7?force=1&why=old" }],
    ["the scheme", { url: "http://contracts.example/api/contracts/7?force=1&why=old" }],
    ["the path", { url: "https://contracts.example/api/contracts/8?force=1&why=old" }],
    ["the order of the query", { url: "https://contracts.example/api/contracts/7?why=old&force=1" }],
    ["the spelling of the address", { url: "https://contracts.example/api/contracts/%37?force=1&why=old" }],
    ["no query", { url: "https://contracts.example/api/contracts/7" }],
    ["a header's value", { headers: { "idempotency-key": "7c3f" } }],
    ["a missing header", { headers: {} }],
    ["an empty header", { headers: { "idempotency-key": "" } }],
    ["another header", { headers: { "idempotency-key": "7c3e", "x-tenant": "a" } }],
    ["a detail", changed({ actions: ["delete", "purge"] })],
    ["a nested detail", changed({ contract: { title: "Lease", version: 4 } })],
    ["a number written as text", changed({ contract: { title: "Lease", version: "3" } })],
    ["the body", changed({ content_digest: contentDigest(Buffer.from(" ")) })],
    ["one more detail", changed({ note: null })],
  ])("%s", (_, change) => {
    expect(callDigest({ ...call, ...change })).not.toBe(callDigest(call));
  });
});

function changed(members: Readonly<Record<string, unknown>>): Pick<Call, "authorizationDetail"> {
  return { authorizationDetail: { ...call.authorizationDetail, ...members } };
}

describe("the digest does not change with", () => {
  test.each<[string, Partial<Call>]>([
    ["the order of headers and details", reversed()],
    ["an absent header", { headers: { "x-tenant": undefined, "idempotency-key": "7c3e" } }],
  ])("%s", (_, change) => {
    expect(callDigest({ ...call, ...change })).toBe(callDigest(call));
  });
});

function reversed(): Partial<Call> {
  const detail = Object.fromEntries(Object.entries(call.authorizationDetail).toReversed());
  return { authorizationDetail: detail as AuthorizationDetail };
}

test.each<[string, Partial<Call>]>([
  ["a header in upper case", { headers: { "Idempotency-Key": "a" } }],
  ["a header that is no token", { headers: { "a b": "a" } }],
  ["an approver of its own", changed({ approved_by: "ada" })],
  ["a time of approval of its own", changed({ approved_at: 1 })],
  ["a value that is not JSON", changed({ amount: Number.NaN })],
])("a call with %s has no digest", (_, change) => {
  expect(() => callDigest({ ...call, ...change })).toThrow(TypeError);
});

test("two calls have one digest only if they are equal", () => {
  const text = fc.constantFrom("", "a", "b", '","sub":"', "a\u0000");
  const calls = fc.record<Call>({
    issuer: text,
    subject: text,
    actor: text,
    sessionId: text,
    method: text,
    url: text,
    headers: fc.dictionary(fc.constantFrom("a", "b"), text),
    authorizationDetail: fc.record({ type: text, actions: fc.array(text, { maxLength: 2 }) }),
  });
  fc.assert(
    fc.property(calls, calls, (one, other) => {
      expect(callDigest(one) === callDigest(other)).toBe(isDeepStrictEqual(plain(one), plain(other)));
    }),
    { numRuns: 1000 },
  );
});

/** Without what JSON does not have, such as prototypes. */
function plain(value: Call): unknown {
  return JSON.parse(JSON.stringify(value));
}

describe("a transaction identifier", () => {
  const digest = callDigest(call);

  test("carries the digest of its call, and differs each time", () => {
    const txn = createTxn(digest);
    expect(isTxnOf(txn, digest)).toBe(true);
    expect(parseTxn(txn)?.digest).toBe(digest);
    expect(createTxn(digest)).not.toBe(txn);
    expect(createTxn(digest, Buffer.alloc(16))).toBe(`AAAAAAAAAAAAAAAAAAAAAA.${digest}`);
  });

  test.each<[string, unknown]>([
    ["nothing", undefined],
    ["a number", 1],
    ["a digest alone", digest],
    ["too few random bits", `AAAA.${digest}`],
    ["stray bits in the random part", `AAAAAAAAAAAAAAAAAAAAAB.${digest}`],
    ["stray bits in the digest", `AAAAAAAAAAAAAAAAAAAAAA.${digest.slice(0, -1)}B`],
    ["a third part", `AAAAAAAAAAAAAAAAAAAAAA.${digest}.`],
    ["a line end", `AAAAAAAAAAAAAAAAAAAAAA.${digest}\n`],
    ["another alphabet", `AAAAAAAAAAAAAAAAAAAA+A.${digest}`],
  ])("is not %s", (_, txn) => {
    expect(parseTxn(txn)).toBeUndefined();
    expect(isTxnOf(txn, digest)).toBe(false);
  });

  test("is made of nothing but 16 bytes and a digest", () => {
    expect(() => createTxn("", Buffer.alloc(16))).toThrow(TypeError);
    expect(() => createTxn(digest, Buffer.alloc(15))).toThrow(TypeError);
  });

  test("is read back for any call and any bits", () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ minLength: 16, maxLength: 16 }),
        fc.string({ unit: "grapheme" }),
        (random, subject) => {
          const other = callDigest({ ...call, subject });
          expect(parseTxn(createTxn(other, random))).toEqual({
            random: Buffer.from(random).toString("base64url"),
            digest: other,
          });
        },
      ),
    );
  });
});

describe("a granted detail", () => {
  const answer = { approvedBy: "grace", approvedAt: 1_764_000_000 };
  const granted = grantDetail(call.authorizationDetail, answer);

  test("is the challenged one with the approver and the time", () => {
    expect(granted).toEqual({
      ...call.authorizationDetail,
      approved_by: "grace",
      approved_at: 1_764_000_000,
    });
    expect(readGrantedDetail(granted)).toEqual({ detail: call.authorizationDetail, ...answer });
  });

  test.each<[string, Readonly<Record<string, unknown>>]>([
    ["no approver", { approved_by: undefined }],
    ["an empty approver", { approved_by: "" }],
    ["no time", { approved_at: undefined }],
    ["a fraction of a second", { approved_at: 1.5 }],
    ["a time as text", { approved_at: "1764000000" }],
  ])("with %s is none", (_, change) => {
    expect(readGrantedDetail({ ...granted, ...change })).toBeUndefined();
  });

  test("is not granted twice", () => {
    expect(() => grantDetail(granted, answer)).toThrow(TypeError);
  });
});
