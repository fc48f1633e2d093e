import { describe, expect, test } from "vitest";
import { fillIn, type MessagePart, type Numbers } from "../../src/text/message";

const numbersIn = (locale: string): Numbers => ({
  format: new Intl.NumberFormat(locale),
  plural: new Intl.PluralRules(locale),
});
const english = numbersIn("en");

const rows: readonly MessagePart[] = [
  { plural: "count", forms: { "=0": ["none"], one: ["# row"], other: [{ count: true }, " rows"] } },
  " in ",
  { value: "list" },
];

describe("a message", () => {
  test.each([
    { count: 0, said: "none in all" },
    { count: 1, said: "# row in all" },
    { count: 1200, said: "1,200 rows in all" },
  ])("counts $count", ({ count, said }) => {
    expect(fillIn(rows, { count, list: "all" }, english)).toEqual([said]);
  });

  test("formats numbers for the language and inserts other values as they are", () => {
    const parts: readonly MessagePart[] = [{ number: "n" }, " ", { value: "n" }];
    expect(fillIn(parts, { n: 1234.5 }, numbersIn("de"))).toEqual(["1.234,5 1234.5"]);
  });

  test.each([
    { value: true, said: "yes" },
    { value: "true", said: "yes" },
    { value: "constructor", said: "no" },
    { value: undefined, said: "no" },
  ])("chooses by $value", ({ value, said }) => {
    const parts: readonly MessagePart[] = [{ select: "is", forms: { true: ["yes"], other: ["no"] } }];
    expect(fillIn(parts, { is: value }, english)).toEqual([said]);
  });

  test("uses the number of the surrounding plural inside a tag", () => {
    const inside: readonly MessagePart[] = [{ tag: "b", inside: [{ count: true }] }, " rows"];
    const parts: readonly MessagePart[] = [{ plural: "count", forms: { other: inside } }];
    const b = (nodes: readonly unknown[]) => `<${nodes.join("")}>`;
    expect(fillIn(parts, { count: 12, b }, english)).toEqual(["<12> rows"]);
  });

  test.each([
    { part: { value: "toString" }, fault: /toString/ },
    { part: { number: "n" }, fault: /\bn\b/ },
    { part: { select: "kind", forms: { other: [] } }, fault: /kind/ },
    { part: { plural: "count", forms: { other: [] } }, fault: /count/ },
    { part: { tag: "b", inside: [] }, fault: /\bb\b/ },
  ])("does not guess what it was not given: $part", ({ part, fault }) => {
    expect(() => fillIn([part], {}, english)).toThrow(fault);
  });
});
