import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseStrictJson } from "../../src/jws/strict-json.js";
import { readPlainClaims } from "../../src/proof/plain-claims.js";

const full =
  '{"jti":"7f3c","htm":"GET","htu":"https://api.example/a?","iat":1790000000,"ath":"abc","nonce":"n 1"}';

const request = { method: "GET", url: "https://api.example/a?", accessTokenHash: "abc" };

function read(text: string): object | undefined {
  return readPlainClaims(Buffer.from(text), request);
}

/** What the strict parser says, or that it refuses. */
function strictly(text: string): unknown {
  try {
    return parseStrictJson(text);
  } catch {
    return "refused";
  }
}

function withoutMissing(claims: object): object {
  return JSON.parse(JSON.stringify(claims)) as object;
}

describe("plain claims", () => {
  test.each([
    ["all of them", full],
    ["one of them", '{"iat":0}'],
    ["another order", '{"nonce":"","iat":15,"htm":"POST"}'],
    ["the largest number", '{"iat":999999999999999}'],
  ])("are read: %s", (_, text) => {
    expect(withoutMissing(read(text) ?? {})).toEqual(JSON.parse(text));
  });

  test.each([
    ["nothing", ""],
    ["an empty object", "{}"],
    ["a claim twice", '{"jti":"1","jti":"2"}'],
    ["a number twice", '{"iat":1,"iat":2}'],
    ["another claim", '{"exp":1}'],
    ["another claim of six characters", '{"other":"abcdef"}'],
    ["a name in a value", '{"aud":"jti","htm":"GET"}'],
    ["an escape", '{"jti":"\\u0061"}'],
    ["an escaped quotation mark", '{"jti":"a\\"b"}'],
    ["a character beyond ASCII", '{"jti":"ü"}'],
    ["a control character", '{"jti":"a\tb"}'],
    ["a space", '{"jti": "a"}'],
    ["a space before", ' {"jti":"a"}'],
    ["something behind", '{"jti":"a"}}'],
    ["a comma at the end", '{"jti":"a",}'],
    ["no end", '{"jti":"a"'],
    ["no end of a string", '{"jti":"a}'],
    ["no end of a number", '{"iat":1'],
    ["a leading zero", '{"iat":01}'],
    ["a sign", '{"iat":-1}'],
    ["a fraction", '{"iat":1.5}'],
    ["an exponent", '{"iat":1e9}'],
    ["a number that is too long", '{"iat":1000000000000000}'],
    ["a number as text", '{"iat":"1"}'],
    ["text as a number", '{"jti":1}'],
    ["a value that is an object", '{"jti":{"htm":"GET"}}'],
    ["an array", '["jti"]'],
  ])("are left to the strict parser when there is %s", (_, text) => {
    expect(read(text)).toBeUndefined();
  });

  test.each([
    ["what was expected", { method: "GET", url: "https://api.example/a?", accessTokenHash: "abc" }],
    ["shorter than expected", { method: "GETS", url: "https://api.example/a?b", accessTokenHash: "abcd" }],
    ["longer than expected", { method: "G", url: "https://api.example/a", accessTokenHash: "" }],
    ["of the same length", { method: "PUT", url: "https://api.example/b?", accessTokenHash: "abd" }],
    ["expected by nobody", { method: "", url: "" }],
  ])("are read as they are written: %s", (_, expected) => {
    expect(readPlainClaims(Buffer.from(full), expected)).toEqual(JSON.parse(full));
  });

  test.each(['GE"T', "GE\\T", "G\u00c9T", "GE\tT"])(
    "are left to the strict parser even if %j is expected",
    (method) => {
      const json = Buffer.from(`{"htm":"${method}"}`, "latin1");
      expect(readPlainClaims(json, { method, url: "" })).toBeUndefined();
    },
  );

  test("are never other than the strict parser reads, whatever the text", () => {
    const name = fc.constantFrom("jti", "htm", "htu", "iat", "ath", "nonce", "exp", "");
    const value = fc.oneof(fc.jsonValue(), fc.nat(), fc.string());
    const member = fc
      .tuple(name, value)
      .map(([one, other]) => `${JSON.stringify(one)}:${JSON.stringify(other)}`);
    const object = fc.array(member, { maxLength: 6 }).map((members) => `{${members.join(",")}}`);
    const changed = fc
      .tuple(fc.nat({ max: full.length }), fc.nat({ max: 3 }), fc.string({ maxLength: 2 }))
      .map(([at, length, text]) => full.slice(0, at) + text + full.slice(at + length));
    fc.assert(
      fc.property(fc.oneof(object, changed), (text) => {
        const claims = read(text);
        fc.pre(claims !== undefined);
        expect(withoutMissing(claims)).toEqual(strictly(text));
      }),
      { numRuns: 500 },
    );
  });
});
