import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseFilter, parsePath } from "../../src/scim/filter.js";
import { ScimError } from "../../src/scim/scim-error.js";
import { provisionedUserColumns } from "../../src/store/provisioned-users.js";
import { type Filter, FilterError, toCondition } from "../../src/store/scim-filter.js";
import { userSchema } from "./scim-client.js";
import { type TestStore, withStore } from "../support/store.js";

let opened: TestStore;
withStore("all", (store) => void (opened = store));

const names = [
  "userName",
  "externalId",
  "active",
  "emails.value",
  "emails",
  "name.givenName",
  "id",
  "meta.created",
];
const operators = ["eq", "ne", "co", "sw", "ew", "gt", "ge", "lt", "le", "pr"];
const word = fc.constantFrom(
  ...names,
  ...operators,
  "and",
  "or",
  "not",
  "(",
  ")",
  "[",
  "]",
  ".",
  "true",
  "null",
  "1",
  '"x"',
  `${userSchema}:userName`,
);
const sentence = fc.oneof(
  fc.string(),
  fc.array(word, { maxLength: 12 }).map((words) => words.join(" ")),
);

function outcome(parse: (text: string) => unknown, text: string): unknown {
  try {
    parse(text);
    return "parsed";
  } catch (error) {
    if (error instanceof ScimError) return error.scimType;
    throw error;
  }
}

test("any text is a filter or is refused with invalidFilter", () => {
  const parse = (text: string) => parseFilter(text, userSchema);
  fc.assert(
    fc.property(sentence, (text) => {
      expect(["parsed", "invalidFilter"]).toContain(outcome(parse, text));
    }),
    { numRuns: 2000 },
  );
});

test("any text is a path or is refused", () => {
  const parse = (text: string) => parsePath(text, userSchema);
  fc.assert(
    fc.property(sentence, (text) => {
      expect(["parsed", "invalidPath", "invalidFilter"]).toContain(outcome(parse, text));
    }),
    { numRuns: 2000 },
  );
});

const value = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.boolean(),
  fc.constant(null),
  fc.constant("2026-11-20T12:00:00Z"),
);
const comparison = fc
  .tuple(fc.constantFrom(...names), fc.constantFrom(...operators), value)
  .map(([name, op, wanted]) => (op === "pr" ? `${name} pr` : `${name} ${op} ${JSON.stringify(wanted)}`));
const { filter } = fc.letrec<{ filter: string }>((tie) => ({
  filter: fc.oneof(
    { maxDepth: 3 },
    comparison,
    fc
      .tuple(tie("filter"), fc.constantFrom("and", "or"), tie("filter"))
      .map((parts) => `(${parts.join(" ")})`),
    tie("filter").map((inner) => `not (${inner})`),
  ),
}));

test("PostgreSQL accepts the condition of each filter that is not refused", async () => {
  await fc.assert(
    fc.asyncProperty(filter, async (text) => {
      let condition;
      try {
        condition = toCondition(parseFilter(text, userSchema), provisionedUserColumns);
      } catch (error) {
        if (error instanceof FilterError || error instanceof ScimError) return;
        throw error;
      }
      const page = { providerId: "0b2f1c3e-54a6-4c8e-9a53-6d7f8e9a0b1c", condition, offset: 0, limit: 1 };
      expect((await opened.store.provisionedUsers.list(page)).total).toBe(0);
    }),
    { numRuns: 300 },
  );
});

describe("parsing", () => {
  const eq = (attribute: string, wanted: string): Filter => ({ op: "eq", attribute, value: wanted });
  test.each<{ text: string; parsed: Filter }>([
    { text: 'userName eq "a"', parsed: eq("username", "a") },
    { text: `${userSchema}:userName EQ "a"`, parsed: eq("username", "a") },
    { text: String.raw`userName eq "\"\u0041\\"`, parsed: eq("username", '"A\\') },
    {
      text: 'a eq "1" or b eq "2" and c eq "3"',
      parsed: { op: "or", filters: [eq("a", "1"), { op: "and", filters: [eq("b", "2"), eq("c", "3")] }] },
    },
    {
      text: 'emails[type eq "work"].value eq "a"',
      parsed: {
        op: "some",
        attribute: "emails",
        filter: eq("type", "work"),
        compared: { op: "eq", attribute: "value", value: "a" },
      },
    },
    { text: 'not (a eq "1")', parsed: { op: "not", filter: eq("a", "1") } },
  ])("$text", ({ text, parsed }) => {
    expect(parseFilter(text, userSchema)).toEqual(parsed);
  });
});
