import { describe, expect, test } from "vitest";
import { languages, messagesIn, valuesOf } from "./catalogues";

const [english = "", ...others] = languages;

describe.each(others)("the catalogues in %s", (language) => {
  const messages = messagesIn(language);

  test("say what the English ones say, and nothing else", () => {
    expect([...messages.keys()].sort()).toEqual([...messagesIn(english).keys()].sort());
  });

  test.each([...messagesIn(english)])("%s is given the same values", (key, message) => {
    expect(valuesOf(messages.get(key) ?? "")).toEqual(valuesOf(message));
  });
});

test("a message without anything to fill in has no words put together", () => {
  const edges = languages.flatMap((language) =>
    [...messagesIn(language)].filter(([, message]) => message !== message.trim()),
  );
  expect(edges).toEqual([]);
});
