import { JwsError, type JwsErrorReason, parseStrictJson } from "@authz/dpop/jws";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { errorOf } from "../error-of.js";

describe("strict JSON refuses", () => {
  test.each<[string, string | Uint8Array, JwsErrorReason]>([
    ["nothing", "", "not_json"],
    ["a trailing comma", '{"a":1,}', "not_json"],
    ["a comment", '{"a":1}//', "not_json"],
    ["single quotes", "{'a':1}", "not_json"],
    ["two values", "{}{}", "not_json"],
    ["NaN", '{"a":NaN}', "not_json"],
    ["a colon in place of a comma", '["a":1]', "not_json"],
    ["an unclosed text", '{"a":"', "not_json"],
    ["a string that ends in a backslash", '{"a":"\\', "not_json"],
    ["a raw line end in a string", '{"a":"\n"}', "not_json"],
    ["a byte order mark", "\ufeff{}", "byte_order_mark"],
    ["a byte order mark as bytes", Buffer.from("efbbbf7b7d", "hex"), "byte_order_mark"],
    ["UTF-16", Buffer.from("{}", "utf16le"), "not_json"],
    ["Latin-1", Buffer.from('{"a":"é"}', "latin1"), "not_utf8"],
    ["an overlong encoding", Buffer.from("7b22c0af223a317d", "hex"), "not_utf8"],
    ["an encoded surrogate", Buffer.from("7b22eda080223a317d", "hex"), "not_utf8"],
    ["a lone surrogate in a string", '{"a":"\ud800"}', "not_utf8"],
    ["an escaped lone surrogate in a value", '{"a":["\\udc00"]}', "not_utf8"],
    ["an escaped lone surrogate in a name", '{"\\ud800":1}', "not_utf8"],
    ["a member twice", '{"a":1,"a":1}', "duplicate_member"],
    ["a member twice under two spellings", '{"a":1,"\\u0061":2}', "duplicate_member"],
    ["a member twice deep inside", '[{"a":{"b":[{"c":1,"c":2}]}}]', "duplicate_member"],
    ["__proto__ twice", '{"__proto__":1,"__proto__":2}', "duplicate_member"],
    ["an empty name twice", '{"":1,"":2}', "duplicate_member"],
    ["a numeric name twice", '{"1":1,"1":2}', "duplicate_member"],
    ["a duplicate hidden by colons in strings", '{"a":"::","b:":":","a":"::"}', "duplicate_member"],
    ["33 levels", `${"[".repeat(33)}${"]".repeat(33)}`, "too_deep"],
    ["a million levels", "[".repeat(1_000_000), "too_deep"],
  ])("%s", (_, input, reason) => {
    expect(() => parseStrictJson(input)).toThrow(expect.objectContaining({ name: "JwsError", reason }));
  });
});

describe("strict JSON accepts", () => {
  test.each([
    ["a number", "1"],
    ["null", "null"],
    ["white space around", ' \t\r\n{ "a" : [ 1 , 2 ] } '],
    ["32 levels", `${"[".repeat(32)}${"]".repeat(32)}`],
    ["colons, braces and quotation marks in strings", '{"a:{":"}[\\":\\\\","b":":"}'],
    ["an escaped surrogate pair", '{"a":"\\ud83d\\udd11"}'],
    ["a string that only looks like a lone surrogate", '{"a":"\\\\ud800"}'],
    ["the same name in two objects", '[{"a":1},{"a":1}]'],
    ["a member called __proto__", '{"__proto__":{"a":1}}'],
  ])("%s", (_, text) => {
    expect(parseStrictJson(text)).toEqual(JSON.parse(text));
    expect(parseStrictJson(Buffer.from(text))).toEqual(JSON.parse(text));
  });
});

test("a member called __proto__ does not become a prototype", () => {
  const value = parseStrictJson('{"__proto__":{"admin":true}}') as Record<string, unknown>;
  expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
  expect(value["admin"]).toBeUndefined();
});

test("a part of a larger buffer is read as that part only", () => {
  const bytes = Buffer.from('xx{"a":1}yy');
  expect(parseStrictJson(bytes.subarray(2, -2))).toEqual({ a: 1 });
});

test("the output of JSON.stringify is read back", () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 5 }), (value) => {
      const text = JSON.stringify(value);
      expect(parseStrictJson(text)).toEqual(JSON.parse(text));
    }),
  );
});

test("a repeated member is found wherever it is", () => {
  fc.assert(
    fc.property(fc.string(), fc.jsonValue(), fc.array(fc.string()), (name, value, path) => {
      const member = `${JSON.stringify(name)}:${JSON.stringify(value)}`;
      const text = path
        .slice(0, 20)
        .reduce((inner, key) => `{${JSON.stringify(key)}:${inner}}`, `{${member},${member}}`);
      expect(() => parseStrictJson(text)).toThrow(expect.objectContaining({ reason: "duplicate_member" }));
    }),
  );
});

test("no string and no bytes throw anything but a JwsError", () => {
  const jsonish = fc.string({ unit: fc.constantFrom(...Array.from('{}[]:,"\\u0dD8a1 \ufeff\ud800')) });
  fc.assert(
    fc.property(fc.oneof(jsonish, fc.string({ unit: "binary" }), fc.uint8Array()), (input) => {
      const error = errorOf(() => parseStrictJson(input));
      expect(error === undefined || error instanceof JwsError).toBe(true);
    }),
    { numRuns: 2000 },
  );
});
