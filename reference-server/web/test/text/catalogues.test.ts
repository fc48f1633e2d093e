import { describe, expect, test } from "vitest";
import { catalogueNames, languages, messagesIn, sentencesIn, valuesOf } from "./catalogues";

const [english = "", ...others] = languages;

describe.each(others)("the catalogues in %s", (language) => {
  const messages = messagesIn(language);

  test("have the same messages as the English ones", () => {
    expect([...messages.keys()].sort()).toEqual([...messagesIn(english).keys()].sort());
  });

  test.each([...messagesIn(english)])("%s uses the same values", (key, message) => {
    expect(valuesOf(messages.get(key) ?? "")).toEqual(valuesOf(message));
  });
});

describe.each(languages)("the files in %s", (language) => {
  test("contain each message once", () => {
    const paths = sentencesIn(language).map(([path]) => path);
    expect(paths.filter((path, at) => paths.indexOf(path) !== at)).toEqual([]);
  });

  test("are named like the catalogues, each once", () => {
    const said = [...messagesIn(language).keys()].map((path) => path.split(".")[0] ?? "");
    expect(catalogueNames(language).toSorted()).toEqual([...new Set(said)].sort());
  });
});

test("a message without placeholders is no concatenation", () => {
  const edges = languages.flatMap((language) =>
    [...messagesIn(language)].filter(([, message]) => message !== message.trim()),
  );
  expect(edges).toEqual([]);
});
