import { describe, expect, test } from "vitest";
import { catalogueNames, languages, messagesIn, sentencesIn, valuesOf } from "./catalogues";

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

describe.each(languages)("the files in %s", (language) => {
  test("say each thing once", () => {
    const paths = sentencesIn(language).map(([path]) => path);
    expect(paths.filter((path, at) => paths.indexOf(path) !== at)).toEqual([]);
  });

  test("are called as what is loaded, each name once", () => {
    const said = [...messagesIn(language).keys()].map((path) => path.split(".")[0] ?? "");
    expect(catalogueNames(language).toSorted()).toEqual([...new Set(said)].sort());
  });
});

test("a message without anything to fill in has no words put together", () => {
  const edges = languages.flatMap((language) =>
    [...messagesIn(language)].filter(([, message]) => message !== message.trim()),
  );
  expect(edges).toEqual([]);
});
