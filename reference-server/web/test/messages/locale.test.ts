import { expect, test } from "vitest";
import { localeOf } from "../../src/messages/locale";

test.each([
  { wanted: "en", preferred: ["en-US", "en"], locale: "en-US" },
  { wanted: "en", preferred: ["en-GB", "en"], locale: "en-GB" },
  { wanted: "en", preferred: ["de-AT", "de", "en-IE"], locale: "en-IE" },
  { wanted: "en", preferred: ["de-DE", "de", "en"], locale: "en-GB" },
  { wanted: "de", preferred: ["de-CH", "en-US"], locale: "de-CH" },
  { wanted: "de", preferred: ["en-US"], locale: "de-DE" },
] as const)("$wanted is written as in $locale for $preferred", ({ wanted, preferred, locale }) => {
  expect(localeOf(wanted, preferred)).toBe(locale);
});
