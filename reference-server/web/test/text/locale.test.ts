import { expect, test } from "vitest";
import { localeOf } from "../../src/text/locale";

test.each([
  { wanted: "en", preferred: ["en-US", "en"], locale: "en-US" },
  { wanted: "en", preferred: ["en-GB", "en"], locale: "en-GB" },
  { wanted: "en", preferred: ["de-AT", "de", "en-IE"], locale: "en-IE" },
  { wanted: "en", preferred: ["de-DE", "de", "en"], locale: "en-GB" },
  { wanted: "de", preferred: ["de-CH", "en-US"], locale: "de-CH" },
  { wanted: "de", preferred: ["en-US"], locale: "de" },
  { wanted: "en", preferred: ["en-US@posix"], locale: "en-US" },
  { wanted: "en", preferred: ["en_IE.UTF-8@euro"], locale: "en-IE" },
  { wanted: "de", preferred: ["de-@posix", "de-AT"], locale: "de-AT" },
  { wanted: "en", preferred: ["en-", "en-US-u", "en-\u0000", "C"], locale: "en-GB" },
  { wanted: "en", preferred: [], locale: "en-GB" },
  { wanted: "fr", preferred: ["en-US", "fr-CH"], locale: "fr-CH" },
])("the locale of $wanted is $locale for $preferred", ({ wanted, preferred, locale }) => {
  expect(localeOf(wanted, preferred)).toBe(locale);
  expect(() => new Intl.DateTimeFormat(locale)).not.toThrow();
});
