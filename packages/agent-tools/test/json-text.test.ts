import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compactJson, indentJson, itemsOf, membersOf } from "../src/json-text.js";

const deep = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;

describe("JSON as text", () => {
  it("is compacted and indented as JSON.stringify does it", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const compact = JSON.stringify(value);
        const indented = JSON.stringify(value, undefined, 2);
        expect(compactJson(JSON.stringify(value, undefined, "\t\r\n "))).toBe(compact);
        expect(indentJson(compact)).toBe(indented);
      }),
    );
  });

  it("is taken apart into items and members as they are written", () => {
    fc.assert(
      fc.property(fc.array(fc.jsonValue()), fc.dictionary(fc.string(), fc.jsonValue()), (list, object) => {
        expect(itemsOf(JSON.stringify(list))).toEqual(list.map((item) => JSON.stringify(item)));
        const members = Object.entries(JSON.parse(JSON.stringify(object)) as object);
        expect(membersOf(JSON.stringify(object))).toEqual(
          new Map(members.map(([name, value]) => [name, JSON.stringify(value)])),
        );
      }),
    );
  });

  it("keeps numbers, the last of several members, and any depth", () => {
    expect(itemsOf("[1146789012345678901,1.0]")).toEqual(["1146789012345678901", "1.0"]);
    expect(membersOf('{"a":1,"\\u0061":2}').get("a")).toBe("2");
    expect(itemsOf(deep)).toEqual([deep.slice(1, -1)]);
    expect(compactJson(deep)).toBe(deep);
    expect(indentJson(deep).length).toBeLessThan(100 * 1024 * 1024);
    expect([itemsOf("{}"), membersOf("[]").size, membersOf("null").size]).toEqual([undefined, 0, 0]);
  });
});
