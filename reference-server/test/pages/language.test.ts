import { describe, expect, test } from "vitest";
import { readLanguage } from "../../src/pages/frame.js";

describe("a browser that sends", () => {
  test.each([
    { header: undefined, language: "en" },
    { header: "", language: "en" },
    { header: "de", language: "de" },
    { header: "de-CH, en;q=0.9", language: "de" },
    { header: "eo-XX, de;q=0.4, en;q=0.8", language: "en" },
    { header: "en;q=0.3,de;q=0.7", language: "de" },
    { header: "de;q=0, en;q=0.1", language: "en" },
    { header: "DE-de", language: "de" },
    { header: "deu", language: "en" },
    { header: "*", language: "en" },
    { header: "en-US@posix", language: "en" },
    { header: "de-DE@posix, en;q=0.9", language: "de" },
    { header: "de;q=nonsense", language: "en" },
    { header: ",;,=,de", language: "de" },
  ])("Accept-Language: $header reads $language", ({ header, language }) => {
    expect(readLanguage(header)).toBe(language);
  });
});
