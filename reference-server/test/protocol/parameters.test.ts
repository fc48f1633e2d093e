import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { OAuthError } from "../../src/protocol/oauth-error.js";
import { parseForm, parseParameters, parseQuery, refuseRepeated } from "../../src/protocol/parameters.js";

const type = "application/x-www-form-urlencoded";

describe("parameters", () => {
  test("are decoded, and an empty value counts as absent", () => {
    const parameters = parseParameters("a=1+2%26&empty=&bare&=nameless&u=%C3%A4");
    expect(parameters.get("a")).toBe("1 2&");
    expect(parameters.get("u")).toBe("ä");
    expect(parameters.get("empty")).toBeUndefined();
    expect(parameters.get("bare")).toBeUndefined();
    expect(parameters.get("absent")).toBeUndefined();
  });

  test("remember which names came twice, even when one is empty", () => {
    expect([...parseParameters("a=1&b=2&a=&%62=3").repeated]).toStrictEqual(["a", "b"]);
  });

  test.each([
    { name: "a NUL character", text: "a=%00", reason: "nul_character" },
    { name: "a NUL character in a name", text: "a%00=1", reason: "nul_character" },
    { name: "an incomplete percent-encoding", text: "a=%4", reason: "invalid_encoding" },
    { name: "overlong UTF-8", text: "a=%C0%80", reason: "invalid_encoding" },
    { name: "a surrogate as UTF-8", text: "a=%ED%A0%80", reason: "invalid_encoding" },
  ])("are refused with $name", ({ text, reason }) => {
    expect(() => parseParameters(text)).toThrow(expect.objectContaining({ code: "invalid_request", reason }));
  });

  const text = fc.string({ minLength: 1, unit: "grapheme" }).filter((value) => !value.includes("\0"));

  test("survive a round trip", () => {
    fc.assert(
      fc.property(fc.dictionary(text, text), (values) => {
        const parsed = parseParameters(new URLSearchParams(values).toString());
        expect(Object.keys(values).map((name) => parsed.get(name))).toStrictEqual(Object.values(values));
      }),
    );
  });

  test("never fail with anything but an OAuthError", () => {
    const failureOf = (input: string): unknown => {
      try {
        return void parseParameters(input);
      } catch (error) {
        return error;
      }
    };
    const property = fc.property(fc.string(), (input) => {
      const failure = failureOf(input);
      return failure === undefined || failure instanceof OAuthError;
    });
    expect(fc.check(property).failed).toBe(false);
  });

  test("of a URL start at the first question mark", () => {
    expect(parseQuery("/path?a=b?c").get("a")).toBe("b?c");
    expect(parseQuery("/path").get("a")).toBeUndefined();
  });

  test("that are repeated are named", () => {
    expect(() => refuseRepeated(parseParameters("scope=a&scope=b"), ["code", "scope"])).toThrow(/scope/);
  });
});

describe("a form", () => {
  test.each([type, `${type};charset=UTF-8`, `${type.toUpperCase()}; charset="utf-8"`])(
    "is read as %s",
    (contentType) => {
      expect(parseForm({ headers: { "content-type": contentType }, body: Buffer.from("a=1") }).get("a")).toBe(
        "1",
      );
    },
  );

  test.each([
    undefined,
    "application/json",
    "text/plain",
    "multipart/form-data",
    `${type}, ${type}`,
    `${type}; charset=latin1`,
  ])("is refused as %s", (contentType) => {
    const refusal = expect.objectContaining({ code: "invalid_request", reason: "content_type" });
    expect(() => parseForm({ headers: { "content-type": contentType }, body: Buffer.from("a=1") })).toThrow(
      refusal,
    );
  });

  test("is refused when its bytes are no UTF-8", () => {
    const refusal = expect.objectContaining({ reason: "invalid_utf8" });
    expect(() =>
      parseForm({ headers: { "content-type": type }, body: Buffer.from([0x61, 0x3d, 0xff]) }),
    ).toThrow(refusal);
  });

  test("without a body has no parameters", () => {
    expect(parseForm({ headers: { "content-type": type }, body: undefined }).get("a")).toBeUndefined();
  });
});
