import { describe, expect, test } from "vitest";
import { eventTypes, languages, messagesIn } from "../text/catalogues";

describe.each(languages)("in %s", (language) => {
  test.each(eventTypes())("an event %s has a name", (type) => {
    expect(messagesIn(language).get(`audit.types.${type}`)).toMatch(/^\p{Lu}/u);
  });
});
