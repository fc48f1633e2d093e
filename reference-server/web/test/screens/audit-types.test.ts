import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { languages, locales, messagesIn } from "../text/catalogues";

const serverWords = JSON.parse(readFileSync(new URL("en/audit.json", locales), "utf8")) as {
  readonly events: Readonly<Record<string, object>>;
};
/** The server has a sentence for each type: `{ scope: { created: … } }`. */
const types = Object.entries(serverWords.events).flatMap(([object, changes]) =>
  Object.keys(changes).map((change) => `${object}.${change}`),
);

describe.each(languages)("in %s", (language) => {
  test.each(types)("an event %s has a name", (type) => {
    expect(messagesIn(language).get(`audit.types.${type}`)).toMatch(/^\p{Lu}/u);
  });
});
