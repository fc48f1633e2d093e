/** How dates and numbers are written for somebody who reads this language: as the browser says, else as in Europe. */
export function localeOf(language: "en" | "de", preferred: readonly string[] = navigator.languages): string {
  // A language without a region does not say whether it is 4 p.m. or 16:00.
  const own = preferred.find((tag) => tag.toLowerCase().startsWith(`${language}-`));
  return own ?? (language === "de" ? "de-DE" : "en-GB");
}
