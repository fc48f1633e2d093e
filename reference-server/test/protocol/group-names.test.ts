import { expect, test } from "vitest";
import { parseGroupsClaim } from "../../src/protocol/group-names.js";

test.each([
  { name: "a list", claim: ["sales", "platform"], groups: ["sales", "platform"] },
  { name: "one name alone", claim: "sales", groups: ["sales"] },
  {
    name: "names with spaces and other scripts",
    claim: ["Vertrieb Süd", "営業"],
    groups: ["Vertrieb Süd", "営業"],
  },
  { name: "a name twice", claim: ["sales", "sales"], groups: ["sales"] },
  { name: "no claim", claim: undefined, groups: [] },
  { name: "null", claim: null, groups: [] },
  { name: "an object", claim: { sales: true }, groups: [] },
  {
    name: "things that are no names",
    claim: ["", 7, null, ["a"], "a\0b", "a\uD800b", "x".repeat(257), "sales"],
    groups: ["sales"],
  },
  {
    name: "names that look like another one",
    claim: ["sales\u200B", "\u202Eselas", "sales\u{E0041}", "\u3164", "sales"],
    groups: ["sales"],
  },
  { name: "a name that a joiner shapes", claim: ["تیم\u200Cفروش"], groups: ["تیم\u200Cفروش"] },
])("a groups claim with $name means $groups", ({ claim, groups }) => {
  expect(parseGroupsClaim(claim)).toEqual(groups);
});

test("no more than a thousand groups are taken from a claim", () => {
  const claim = Array.from({ length: 1500 }, (_, index) => `group-${index}`);
  expect(parseGroupsClaim(claim)).toEqual(claim.slice(0, 1000));
});
