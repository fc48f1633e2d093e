import { expect, test } from "vitest";
import { defineTable, json, orNull } from "../../src/store/postgres/table.js";

interface Letter {
  readonly id: string;
  readonly sentAt: Date | null;
  readonly lines: readonly string[];
  readonly extras: readonly { readonly name: string }[];
  readonly size: { readonly width: number; readonly height: number };
  readonly seal: { readonly keyId: string; readonly wax: string } | null;
}

const letters = defineTable<Letter>("letters", {
  id: "id",
  sentAt: "sent_at",
  lines: "lines",
  extras: json("extras"),
  size: { width: "width_mm", height: "height_mm" },
  seal: orNull({ keyId: "key_id", wax: "wax" }),
});

const letter: Letter = {
  id: "1",
  sentAt: null,
  lines: ["Dear"],
  extras: [{ name: "stamp" }],
  size: { width: 110, height: 220 },
  seal: null,
};

test("a column comes back as its field is called", () => {
  expect(letters.select("l", "letter.")).toBe(
    'l.id AS "letter.id", l.sent_at AS "letter.sentAt", l.lines AS "letter.lines", l.extras AS "letter.extras", ' +
      'l.width_mm AS "letter.size.width", l.height_mm AS "letter.size.height", ' +
      'l.key_id AS "letter.seal.keyId", l.wax AS "letter.seal.wax"',
  );
});

test("a row with further columns becomes the item", () => {
  const row = { id: "1", sentAt: null, lines: ["Dear"], extras: letter.extras, more: 1 };
  const size = { "size.width": 110, "size.height": 220 };
  expect(letters.fromRow({ ...row, ...size, "seal.keyId": null, "seal.wax": null })).toEqual(letter);
  expect(letters.fromRow({ ...row, ...size, "seal.keyId": "a", "seal.wax": null }).seal).toEqual({
    keyId: "a",
    wax: null,
  });
});

test("an item becomes the row, without the fields that are absent", () => {
  expect(letters.toRow(letter)).toEqual({
    id: "1",
    sent_at: null,
    lines: ["Dear"],
    extras: '[{"name":"stamp"}]',
    width_mm: 110,
    height_mm: 220,
    key_id: null,
    wax: null,
  });
  expect(letters.toRow({ seal: { keyId: "a", wax: "red" } })).toEqual({ key_id: "a", wax: "red" });
});

test("a forgotten column does not compile", () => {
  // @ts-expect-error -- `name` has no column
  const nameless = defineTable<{ id: string; name: string }>("things", { id: "id" });
  expect(nameless.columns).toEqual(["id"]);
  // @ts-expect-error -- `size.height` has none
  defineTable<Pick<Letter, "size">>("things", { size: { width: "width" } });
  // @ts-expect-error -- `other` is no field
  defineTable<{ id: string }>("things", { id: "id", other: "other" });
});
