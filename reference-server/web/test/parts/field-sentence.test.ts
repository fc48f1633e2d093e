import { expect, test } from "vitest";
import { scopeRules } from "../../../src/objects/scope.js";
import { check } from "../../../src/objects/check.js";
import { renderMessage } from "../../../src/text/message.js";
import { textsIn } from "../../../src/text/texts.js";
import { fieldSentence } from "../../src/parts/field-sentence";

test.each([
  {
    language: "en" as const,
    sentences: ['Must be "namespace:permission", such as contracts:read.', "Must not be empty."],
  },
  {
    language: "de" as const,
    sentences: ["Muss „Bereich:Berechtigung“ sein, etwa contracts:read.", "Darf nicht leer sein."],
  },
])("a field's message in $language becomes a sentence of its own", ({ language, sentences }) => {
  const { faults = [] } = check(scopeRules, { key: "read", description: "" });
  const texts = faults.map(({ message }) => fieldSentence(renderMessage(message, textsIn(language))));
  expect(texts).toEqual(sentences);
});

test("a complete sentence gets no second full stop", () => {
  expect(fieldSentence("This is a private key. It was not sent anywhere.")).toBe(
    "This is a private key. It was not sent anywhere.",
  );
});
