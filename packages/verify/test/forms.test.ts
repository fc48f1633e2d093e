import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { AuthzError } from "../src/errors.js";
import { parseForm } from "../src/forms.js";

const contentType = ["application/x-www-form-urlencoded"];
const names = ["scope", "assertion"] as const;

function parse(body: unknown, type: readonly string[] = contentType): Record<string, string> {
  return parseForm({ contentType: type, body }, names);
}

function formData(...fields: readonly (readonly [name: string, value: string])[]): FormData {
  const form = new FormData();
  for (const [name, value] of fields) form.append(name, value);
  return form;
}

/** What a call returns or throws. */
function outcomeOf(run: () => unknown): unknown {
  try {
    return run();
  } catch (error) {
    return error;
  }
}

const accepted: readonly (readonly [
  name: string,
  body: unknown,
  expected: Record<string, string>,
  type?: string,
])[] = [
  ["text", "scope=a+b&assertion=x", { scope: "a b", assertion: "x" }],
  ["bytes", Buffer.from("scope=a%20b"), { scope: "a b" }],
  ["an object", { scope: "a b" }, { scope: "a b" }],
  ["URLSearchParams", new URLSearchParams({ scope: "a b" }), { scope: "a b" }],
  ["FormData", formData(["scope", "a b"]), { scope: "a b" }],
  ["an object without a prototype", Object.assign(Object.create(null), { scope: "a" }), { scope: "a" }],
  ["nothing", undefined, {}],
  ["an empty text", "", {}],
  ["an empty value as absent", "scope=&assertion=x", { assertion: "x" }],
  ["a name without a value as absent", "scope", {}],
  ["empty pairs", "&&scope=a&&", { scope: "a" }],
  ["an equals sign in a value", "scope=a=b", { scope: "a=b" }],
  ["escaped names", "%73cope=a", { scope: "a" }],
  ["text beyond ASCII", "scope=%C3%A9%F0%9F%94%91", { scope: "é🔑" }],
  ["unknown parameters, even twice", "x=1&x=2&scope=a", { scope: "a" }],
  ["an unknown list in an object", { x: ["1", "2"], scope: "a" }, { scope: "a" }],
  ["a name of Object.prototype", "__proto__=x&constructor=y&scope=a", { scope: "a" }],
  ["a charset", "scope=a", { scope: "a" }, 'application/x-www-form-urlencoded; charset="UTF-8"'],
  ["capitals in the content type", "scope=a", { scope: "a" }, "Application/X-WWW-Form-URLEncoded"],
  ["exactly 64 KiB", `scope=a&x=${"y".repeat(64 * 1024 - 10)}`, { scope: "a" }],
];

describe("a form may be", () => {
  test.for(accepted)("%s", ([, body, expected, type]) => {
    expect(parse(body, type === undefined ? contentType : [type])).toEqual(expected);
  });
});

const refused: readonly { name: string; body?: unknown; type?: readonly string[]; reason: string }[] = [
  { name: "no content type", type: [], reason: "content_type" },
  { name: "an empty content type", type: [""], reason: "content_type" },
  { name: "JSON", type: ["application/json"], reason: "content_type" },
  { name: "multipart", type: ["multipart/form-data; boundary=x"], reason: "content_type" },
  {
    name: "a content type that only starts alike",
    type: ["application/x-www-form-urlencodedx"],
    reason: "content_type",
  },
  {
    name: "white space behind the type that HTTP does not know",
    type: ["application/x-www-form-urlencoded\u{A0}"],
    reason: "content_type",
  },
  { name: "two content types", type: [...contentType, ...contentType], reason: "content_type" },
  {
    name: "two content types that Fetch joined",
    type: [`${contentType[0]}, text/plain`],
    reason: "content_type",
  },
  {
    name: "another charset",
    type: ["application/x-www-form-urlencoded; charset=utf-16"],
    reason: "content_type",
  },
  { name: "a parameter twice", body: "scope=a&scope=a", reason: "parameter_repeated" },
  { name: "a parameter twice, once empty", body: "scope=&scope=a", reason: "parameter_repeated" },
  { name: "a parameter twice, once in disguise", body: "scope=a&%73cope=b", reason: "parameter_repeated" },
  {
    name: "a parameter of FormData twice",
    body: formData(["scope", "a"], ["scope", "a"]),
    reason: "parameter_repeated",
  },
  { name: "a list", body: { scope: ["a", "b"] }, reason: "parameter_repeated" },
  { name: "a nested object", body: { scope: { $ne: "" } }, reason: "parameter_repeated" },
  { name: "a number", body: { scope: 1 }, reason: "parameter_repeated" },
  { name: "a NUL", body: "scope=a\0", reason: "body_malformed" },
  { name: "an escaped NUL", body: "scope=a%00", reason: "body_malformed" },
  { name: "a NUL in an unknown parameter", body: "x=%00&scope=a", reason: "body_malformed" },
  { name: "a NUL in a name", body: "%00=a", reason: "body_malformed" },
  { name: "a NUL in an object", body: { scope: "a\0" }, reason: "body_malformed" },
  { name: "bytes that are not UTF-8", body: Buffer.from([0x73, 0x3d, 0xff]), reason: "body_malformed" },
  { name: "escapes that are not UTF-8", body: "scope=%FF", reason: "body_malformed" },
  { name: "an escaped surrogate", body: "scope=%ED%A0%80", reason: "body_malformed" },
  { name: "an overlong escape", body: "scope=%C0%80", reason: "body_malformed" },
  { name: "half an escape", body: "scope=%4", reason: "body_malformed" },
  { name: "a percent sign alone", body: "scope=100%", reason: "body_malformed" },
  { name: "a list as the body", body: ["scope=a"], reason: "body_malformed" },
  { name: "a number as the body", body: 7, reason: "body_malformed" },
  { name: "more than 64 KiB of text", body: `scope=${"x".repeat(64 * 1024)}`, reason: "body_too_large" },
  { name: "more than 64 KiB in an object", body: { x: "x".repeat(64 * 1024 + 1) }, reason: "body_too_large" },
];

describe("a form is refused when it has", () => {
  test.each(refused)("$name", ({ body = "scope=a", type = contentType, reason }) => {
    const error = outcomeOf(() => parse(body, type));
    expect(error).toBeInstanceOf(AuthzError);
    expect(error).toMatchObject({ code: "invalid_request", reason });
  });
});

describe("an arbitrary form", () => {
  test("is read as URLSearchParams wrote it", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), fc.string({ unit: "grapheme" }), (scope, assertion) => {
        fc.pre(!`${scope}${assertion}`.includes("\0") && scope !== "" && assertion !== "");
        expect(parse(new URLSearchParams({ scope, assertion, other: scope }).toString())).toEqual({
          scope,
          assertion,
        });
      }),
    );
  });

  test("is read or refused with an error of ours, be it bytes, text or any value", () => {
    const body = fc.oneof(
      fc.uint8Array(),
      fc.string({ unit: "binary" }),
      fc.anything(),
      fc.webQueryParameters(),
    );
    fc.assert(
      fc.property(
        body,
        fc.array(fc.oneof(fc.constant(contentType[0] as string), fc.string())),
        (value, type) => {
          const outcome = outcomeOf(() => parse(value, type));
          const texts = Object.values(outcome as object);
          expect(outcome instanceof AuthzError || texts.every((text) => typeof text === "string")).toBe(true);
        },
      ),
      { numRuns: 500 },
    );
  });
});
