import { parseChallenges } from "@authz/dpop/challenges";
import * as fc from "fast-check";
import { expect, test } from "vitest";

type Shown = [scheme: string, parameters: Record<string, string>];
const shown = (fields: string | readonly string[] | undefined): Shown[] =>
  parseChallenges(fields).map(({ scheme, parameters }) => [scheme, Object.fromEntries(parameters)]);

test.each<[string, Shown[]]>([
  ["", []],
  [" , ,", []],
  ["Negotiate", [["negotiate", {}]]],
  ["Negotiate YWJj==", [["negotiate", {}]]],
  ["Bearer ", [["bearer", {}]]],
  ['DPoP ALGS="ES256"', [["dpop", { algs: "ES256" }]]],
  ["DPoP error=invalid_token", [["dpop", { error: "invalid_token" }]]],
  ['Bearer  error \t=\t"a" ,, scope="b:c d:e"', [["bearer", { error: "a", scope: "b:c d:e" }]]],
  ['Bearer error_description="say \\"no\\", \\\\"', [["bearer", { error_description: 'say "no", \\' }]]],
  [
    'Negotiate, DPoP algs="ES256", error="x", Basic realm="DPoP error=\\"y\\""',
    [
      ["negotiate", {}],
      ["dpop", { algs: "ES256", error: "x" }],
      ["basic", { realm: 'DPoP error="y"' }],
    ],
  ],
  [
    'DPoP a="1", DPoP a="2"',
    [
      ["dpop", { a: "1" }],
      ["dpop", { a: "2" }],
    ],
  ],
])("%j has the challenges %j", (field, challenges) => {
  expect(shown(field)).toEqual(challenges);
});

test.each([
  { name: "a parameter without a scheme", field: 'error="x"' },
  { name: "an open quote", field: 'DPoP error="x' },
  { name: "a quote that ends in an escape", field: 'DPoP error="x\\"' },
  { name: "text after a quote", field: 'DPoP error="x"y' },
  { name: "parameters without a comma", field: 'DPoP error="x" scope="y"' },
  { name: "a parameter twice, in any case", field: 'DPoP error="x", Error="y"' },
  { name: "a parameter without a value", field: "DPoP a=1, error=" },
  { name: "a parameter after a token68", field: "Negotiate YWJj=, error=x" },
  { name: "a line break", field: 'DPoP error="x"\r\nBasic realm="y"' },
  { name: "a control character in a quote", field: 'DPoP error="\0"' },
  { name: "a tab between scheme and parameter", field: 'DPoP\terror="x"' },
  { name: "a character that no token has", field: "DPoP error=é" },
  { name: "more than 16384 characters", field: `DPoP error="${"x".repeat(16384)}"` },
])("a field with $name counts for nothing", ({ field }) => {
  expect(shown(field)).toEqual([]);
  expect(shown([field, "Basic realm=x"])).toEqual([["basic", { realm: "x" }]]);
});

test("no field has no challenge", () => {
  expect([shown(undefined), shown([])]).toEqual([[], []]);
});

const tokens = fc.stringMatching(/^[!#$%&'*+.^_`|~0-9a-z-]{1,12}$/);
const quotable = fc.stringMatching(/^[\t\x20-\x7e\x80-\xff]{0,20}$/);
const written = fc.array(
  fc.tuple(
    tokens,
    fc.dictionary(tokens, fc.tuple(quotable, fc.boolean()), { noNullPrototype: true, maxKeys: 4 }),
  ),
  { maxLength: 4 },
);

test("challenges that are written are read again", () => {
  fc.assert(
    fc.property(written, fc.constantFrom(", ", ",", " ,\t,  "), (challenges, comma) => {
      const field = challenges
        .map(([scheme, parameters]) => {
          const pairs = Object.entries(parameters).map(([name, [value, escaped]]) => {
            const text = value.replaceAll(escaped ? /./g : /["\\]/g, "\\$&");
            return `${name}="${text}"`;
          });
          return [scheme, ...(pairs.length > 0 ? [` ${pairs.join(comma)}`] : [])].join("");
        })
        .join(comma);
      expect(parseChallenges(field).map(({ scheme, parameters }) => [scheme, [...parameters]])).toEqual(
        challenges.map(([scheme, parameters]) => [
          scheme,
          Object.entries(parameters).map(([name, [value]]) => [name, value]),
        ]),
      );
    }),
  );
});

test("any text is read without an error", () => {
  const pieces = fc.array(
    fc.constantFrom(" ", "\t", ",", "=", '"', "\\", "DPoP", "error", "a", "\u00e9", "\n"),
    { maxLength: 40 },
  );
  fc.assert(
    fc.property(pieces, (list) => {
      for (const { scheme, parameters } of parseChallenges(list.join("")))
        expect([scheme, ...parameters.keys()].join("")).toMatch(/^[!#$%&'*+.^_`|~0-9a-z-]+$/);
    }),
  );
});
