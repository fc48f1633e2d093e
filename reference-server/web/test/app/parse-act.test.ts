import { expect, test } from "vitest";
import { type ActWords, actIds, matchingActs, parseAct } from "../../src/app/acts/parse-act.js";
import { messagesIn } from "../text/catalogues.js";

function wordsIn(language: string): ActWords {
  const messages = messagesIn(language);
  const say = (key: string) => String(messages.get(`palette.acts.${key}`));
  const verbs = Object.fromEntries(actIds.map((id) => [id, say(`${id}.verbs`)]));
  return { verbs: verbs as ActWords["verbs"], places: say("places"), fillers: say("fillers") };
}

const nothing = { person: "", scopes: [], service: "" };

test.each([
  ["en", "disable ada", { id: "disable", person: "ada" }],
  ["en", "Disable Ada Lovelace", { id: "disable", person: "Ada Lovelace" }],
  ["en", "enable ada@acme.example", { id: "enable", person: "ada@acme.example" }],
  ["en", "sign out bruno", { id: "signOut", person: "bruno" }],
  ["en", "explain clara contracts:read", { id: "explain", person: "clara", scopes: ["contracts:read"] }],
  [
    "en",
    "why may clara not Contracts:Read at contracts api?",
    { id: "explain", person: "clara", scopes: ["contracts:read"], service: "contracts api" },
  ],
  [
    "en",
    "give contracts:read contracts:wr to clara",
    { id: "give", person: "clara", scopes: ["contracts:read", "contracts:wr"] },
  ],
  ["en", "rotate key", { id: "rotate" }],
  ["en", "  rotate   the signing key ", { id: "rotate" }],
  ["de", "ada sperren", { id: "disable", person: "ada" }],
  ["de", "sperre ada", { id: "disable", person: "ada" }],
  ["de", "Ada Lovelace entsperren", { id: "enable", person: "Ada Lovelace" }],
  ["de", "bruno überall abmelden", { id: "signOut", person: "bruno" }],
  [
    "de",
    "warum darf clara contracts:read bei Verträge nicht?",
    { id: "explain", person: "clara", scopes: ["contracts:read"], service: "Verträge" },
  ],
  ["de", "clara contracts:read geben", { id: "give", person: "clara", scopes: ["contracts:read"] }],
  ["de", "Schlüssel wechseln", { id: "rotate" }],
  ["de", "disable ada", { id: "disable", person: "ada" }],
])("%s: %s", (language, text, meant) => {
  expect(parseAct(text, wordsIn(language))).toEqual({ ...nothing, ...meant });
});

test.each(["ada", "contracts:read", "disabled people", "", "   "])("%j is no act", (text) => {
  expect(parseAct(text, wordsIn("en"))).toBeUndefined();
});

test("the beginning of a verb matches its acts", () => {
  expect(matchingActs("dis", wordsIn("en"))).toEqual(["disable"]);
  expect(matchingActs("rot", wordsIn("en"))).toEqual(["rotate"]);
  expect(matchingActs("sper", wordsIn("de"))).toEqual(["disable"]);
  expect(matchingActs("ada", wordsIn("en"))).toEqual([]);
});

test.each(["en", "de"])("no two acts share a verb: %s", (language) => {
  const verbs = Object.values(wordsIn(language).verbs).flatMap((list) => list.split(", "));
  expect(new Set(verbs).size).toBe(verbs.length);
});
