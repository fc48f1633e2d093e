import { coverText, createCoverer } from "@authz/dpop/cover";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";

/** Covers a text that comes in pieces which end at these places. */
function covered(text: string, credentials: readonly string[], places: readonly number[] = []): string {
  const coverer = createCoverer(credentials);
  const edges = [...new Set([0, ...places.map((place) => place % (text.length + 1)), text.length])];
  edges.sort((a, b) => a - b);
  const pieces = edges.slice(1).map((end, index) => Buffer.from(text.slice(edges[index], end)));
  return Buffer.concat([
    ...pieces.map((piece) => Buffer.from(coverer.next(piece))),
    coverer.end(),
  ]).toString();
}

/** How one character can be written. */
const writings = [
  (character: string) => character,
  (character: string) => `%${codeOf(character, 2)}`,
  (character: string) => `%${codeOf(character, 2).toUpperCase()}`,
  (character: string) => `\\u${codeOf(character, 4)}`,
  (character: string) => `\\u${codeOf(character, 4).toUpperCase()}`,
  (character: string) => `\\\\u${codeOf(character, 4)}`,
  (character: string) => (character === "/" ? "\\/" : character),
  (character: string) => (character === "/" ? "\\\\\\/" : character),
];

function codeOf(character: string, digits: number): string {
  return character.charCodeAt(0).toString(16).padStart(digits, "0");
}

describe("a credential is masked", () => {
  test("verbatim, any number of times and in any chunks", () => {
    // Few letters, so that beginnings of credentials occur everywhere.
    const word = fc.string({ unit: fc.constantFrom("a", "b"), minLength: 3, maxLength: 8 });
    const filler = fc.string({ unit: fc.constantFrom("a", "b", "c", "%", "\\"), maxLength: 12 });
    const places = fc.array(fc.nat(), { maxLength: 12 });
    fc.assert(
      fc.property(word, fc.array(filler, { maxLength: 6 }), places, (credential, fillers, cuts) => {
        const text = fillers.join(credential);
        // What is left of it may look like a beginning, never like a credential.
        expect(covered(text, [credential], cuts)).toBe(covered(text, [credential]));
        expect(covered(text, [credential])).not.toContain(credential);
        expect(covered(text, [credential])).toHaveLength(text.length);
      }),
    );
  });

  test("with any of its characters written as escapes", () => {
    const character = fc.constantFrom("a", "b", "/", "+", "=", ".");
    const credentials = fc.array(fc.tuple(character, fc.constantFrom(...writings)), {
      minLength: 4,
      maxLength: 20,
    });
    const filler = fc.string({ unit: fc.constantFrom("a", "b", "/", " ", "\n"), maxLength: 20 });
    const places = fc.array(fc.nat(), { maxLength: 12 });
    fc.assert(
      fc.property(credentials, filler, filler, places, (characters, before, after, cuts) => {
        const credential = characters.map(([each]) => each).join("");
        const written = characters.map(([each, write]) => write(each)).join("");
        const text = `${before}<${written}>${after}`;
        expect(covered(text, [credential], cuts)).not.toContain(written);
        expect(covered(text, [credential], cuts)).toContain(`<${"*".repeat(written.length)}>`);
      }),
      { numRuns: 1000 },
    );
  });

  test.each([
    ["as it is", "DPoP a+b/c==", "DPoP *******"],
    ["percent-encoded", "token=a%2Bb%2fc%3D%3D&x=1", "token=***************&x=1"],
    ["with JSON's optional escape", '{"t":"a+b\\/c=="}', '{"t":"********"}'],
    ["as .NET writes it", '{"t":"a\\u002Bb/c=="}', '{"t":"************"}'],
    ["as Gson writes it", '{"t":"a+b/c\\u003d\\u003d"}', '{"t":"*****************"}'],
    ["in the name of a member", '{"\\u0061+b/c==":1}', '{"************":1}'],
    [
      "in a string of JSON in a string of JSON",
      String.raw`"{\"t\":\"a+b\\\/c==\"}"`,
      String.raw`"{\"t\":\"**********\"}"`,
    ],
    ["twice in a row", "a+b/c==a+b/c==", "**************"],
  ])("%s", (_name, text, shown) => {
    expect(covered(text, ["a+b/c=="])).toBe(shown);
    expect(coverText(text, ["a+b/c=="])).toBe(shown);
    const everywhere = Array.from(text, (_, index) => index);
    expect(covered(text, ["a+b/c=="], everywhere)).toBe(shown);
  });

  test("also when it looks like an escape itself, or like another one's beginning", () => {
    expect(covered("a%41b a%2541b", ["a%41b"])).toBe("***** *******");
    expect(covered("abcabd", ["abcd", "abd"], [2, 4])).toBe("abc***");
  });
});

test("everything else is left as it is, and handed on without waiting for more", () => {
  const coverer = createCoverer(["token-1"]);
  const said = ['data: {"n":"\\u00e4 %20 \\n"}\n', "data: tok", "ens\\u007", "4oken"].map((text) =>
    coverer.next(Buffer.from(text)).toString(),
  );
  expect([...said, coverer.end().toString()]).toEqual([
    'data: {"n":"\\u00e4 %20 \\n"}\n',
    "data: ",
    "tokens",
    "",
    "\\u0074oken",
  ]);
  expect(coverText("nothing", [])).toBe("nothing");
  expect(covered("nothing", [""])).toBe("nothing");
});
