/** How dates and numbers are written for somebody who reads this language: as the browser says, else as in Europe. */
export function localeOf(language: string, preferred: readonly string[] = navigator.languages): string {
  // A language without a region does not say whether it is 4 p.m. or 16:00.
  const own = preferred.map(asTag).find((tag) => tag.toLowerCase().startsWith(`${language}-`) && isTag(tag));
  return own ?? (language === "en" ? "en-GB" : language);
}

/** Some browsers pass on the locale of the system, such as `en_US.UTF-8` or `en-US@posix`. */
function asTag(locale: string): string {
  return locale.replace(/[.@].*$/s, "").replaceAll("_", "-");
}

/** Whether `Intl` takes it, which throws at everything else. */
function isTag(text: string): boolean {
  try {
    return Intl.getCanonicalLocales(text).length > 0;
  } catch {
    return false;
  }
}
