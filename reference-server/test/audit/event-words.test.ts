import { assert, property, string } from "fast-check";
import { describe, expect, test } from "vitest";
import { eventWords, searchTerms } from "../../src/audit/event-words.js";
import type { AuditName } from "../../src/store/audit-search.js";

const ada = "7f9c24e8-3b12-4f5c-8a5e-1d2c3b4a5f60";
const event = {
  type: "assertion.issued",
  outcome: "success",
  actorType: "user",
  actorId: ada,
  subject: ada,
  clientId: "authz-cli",
  requestId: "0b2f1c3e-54a6-4c8e-9a53-6d7f8e9a0b1c",
  data: {
    resource: "https://contracts.acme.example/api",
    scopes: ["contracts:read"],
    jkt: "0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I",
    nested: [{ text: "Größe Ⅻ" }],
  },
} as const;
const names = new Map<string, AuditName>([
  [ada, { id: ada, type: "user", key: null, email: "ada@acme.example", name: "Ada Lovelace" }],
  [
    "https://contracts.acme.example/api",
    {
      id: "https://contracts.acme.example/api",
      type: "resource",
      key: "contracts",
      email: null,
      name: "Verträge",
    },
  ],
]);

/** As the database compares them. */
function finds(q: string): boolean {
  const words = eventWords(event, names);
  const terms = searchTerms(q);
  return terms.length > 0 && terms.every((term) => words.some((word) => word.startsWith(term)));
}

describe("an event is found by", () => {
  test.each([
    "assertion",
    "issued",
    "success",
    "ADA",
    "ada@acme.example",
    "acme.example",
    "lovelace",
    "Ada Love",
    "authz-cli",
    "cli",
    "https://contracts.acme.example/api",
    "contracts:re",
    "verträge",
    "7f9c24e8-3b12",
    "0ZcOCORZNYy-DWp",
    "grösse xii".replace("ss", "ß"),
    "0b2f1c3e-54a6-4c8e-9a53-6d7f8e9a0b1c",
  ])("%s", (q) => expect(finds(q)).toBe(true));
});

describe("an event is not found by", () => {
  test.each([
    { name: "the middle of a word", q: "velace" },
    { name: "the middle of an identifier", q: "3b12" },
    { name: "one word that it has and one that it has not", q: "ada grace" },
    { name: "the name of a member", q: "jkt" },
    { name: "punctuation", q: "@@ ::" },
    { name: "nothing", q: " " },
  ])("$name", ({ q }) => expect(finds(q)).toBe(false));
});

test("the words of any event, and the terms of any search, can be stored", () => {
  assert(
    property(string({ unit: "binary", maxLength: 500 }), (text) => {
      const words = eventWords({ ...event, data: { text } }, new Map());
      for (const word of [...words, ...searchTerms(text)]) {
        expect(word).toMatch(/^[^\p{Cc}\p{Cs}\s]{1,200}$/u);
      }
      expect(words.length).toBeLessThanOrEqual(200);
      expect(searchTerms(text).length).toBeLessThanOrEqual(10);
    }),
  );
});
