import { hasType, JwsError, type JwsErrorReason, parseCompactJws } from "@authz/dpop/jws";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { errorOf } from "../error-of.js";

const limits = { maxBytes: 1000 };
const signature = Buffer.alloc(64, 1).toString("base64url");
const encode = (json: string) => Buffer.from(json).toString("base64url");
const header = encode('{"alg":"ES256","typ":"at+jwt","kid":"1"}');
const payload = encode('{"iss":"https://as.example"}');

test("a compact JWS is taken apart without verifying it", () => {
  expect(parseCompactJws(`${header}.${payload}.${signature}`, limits)).toEqual({
    header: { alg: "ES256", typ: "at+jwt", kid: "1" },
    payload: { iss: "https://as.example" },
    signature: Buffer.alloc(64, 1),
    signingInput: `${header}.${payload}`,
    headerSegment: header,
  });
});

test("the limit counts the whole text", () => {
  const text = `${header}.${payload}.${signature}`;
  expect(parseCompactJws(text, { maxBytes: text.length }).payload).toBeDefined();
  expect(() => parseCompactJws(text, { maxBytes: text.length - 1 })).toThrow(
    expect.objectContaining({ reason: "too_large" }),
  );
});

describe("a compact JWS is refused", () => {
  test.each<[string, unknown, JwsErrorReason]>([
    ["that is no string", 1, "not_compact"],
    ["that is empty", "", "not_compact"],
    ["of two dots", "..", "not_compact"],
    ["in the flattened JSON form", `{"payload":"${payload}"}`, "not_compact"],
    ["without a header", `.${payload}.${signature}`, "not_compact"],
    ["without a payload", `${header}..${signature}`, "not_compact"],
    ["without a signature", `${header}.${payload}.`, "not_compact"],
    ["with five segments, as an encrypted one has", `${header}.a.b.c.d`, "not_compact"],
    [
      "with an encrypted header",
      `${encode('{"alg":"dir","enc":"A256GCM"}')}.${payload}.${signature}`,
      "unsupported_algorithm",
    ],
    ["with alg as a list", `${encode('{"alg":["ES256"]}')}.${payload}.${signature}`, "unsupported_algorithm"],
    [
      "with alg in a prototype",
      `${encode('{"__proto__":{"alg":"ES256"}}')}.${payload}.${signature}`,
      "unsupported_algorithm",
    ],
    [
      "with crit",
      `${encode('{"alg":"ES256","crit":["b64"],"b64":true}')}.${payload}.${signature}`,
      "critical_header",
    ],
    ["with a payload that is a string", `${header}.${encode('"a"')}.${signature}`, "not_an_object"],
    ["with a short signature", `${header}.${payload}.${encode("short")}`, "malformed_signature"],
    [
      "with a DER signature",
      `${header}.${payload}.${Buffer.alloc(70, 0x30).toString("base64url")}`,
      "malformed_signature",
    ],
  ])("%s", (_, text, reason) => {
    expect(() => parseCompactJws(text as string, limits)).toThrow(
      expect.objectContaining({ name: "JwsError", reason }),
    );
  });
});

test("no string throws anything but a JwsError", () => {
  const segment = fc.oneof(
    fc.constantFrom(header, payload, signature),
    fc.base64String(),
    fc.string({ unit: "binary" }),
    fc.json().map(encode),
  );
  const text = fc.array(segment, { maxLength: 5 }).map((segments) => segments.join("."));
  fc.assert(
    fc.property(text, (input) => {
      const error = errorOf(() => parseCompactJws(input, limits));
      expect(error === undefined || error instanceof JwsError).toBe(true);
    }),
    { numRuns: 2000 },
  );
});

test.each(["at+jwt", "AT+JWT", "application/at+jwt", "Application/AT+JWT"])(
  "%s is the type at+jwt",
  (typ) => {
    expect(hasType({ typ }, "at+jwt")).toBe(true);
  },
);

test.each([
  undefined,
  null,
  "",
  "jwt",
  "application/application/at+jwt",
  " at+jwt",
  "at+jwt;v=1",
  ["at+jwt"],
  1,
])("%j is not the type at+jwt", (typ) => {
  expect(hasType({ typ }, "at+jwt")).toBe(false);
});
