import { expect, test } from "vitest";
import { suggestId } from "../../src/screens/skills/suggest-id";

test.each([
  ["File a contract", "file-a-contract"],
  ["  Verträge prüfen & größere ablegen! ", "vertraege-pruefen-groessere-ablegen"],
  ["Café, déjà vu", "cafe-deja-vu"],
  ["2026: Q1", "2026-q1"],
  ["契約", ""],
  ["", ""],
  [`${"long ".repeat(11)}word and more`, "long-long-long-long-long-long-long-long-long-long-long-word"],
])("the title %j becomes the id %j", (title, id) => {
  expect(suggestId(title)).toBe(id);
});
