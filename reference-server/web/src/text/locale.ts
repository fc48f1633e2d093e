/** The locale for dates and numbers in a language: the browser's region for it, else a European one. */
export function localeOf(language: string, preferred: readonly string[] = navigator.languages): string {
  // A language without a region does not say whether it is 4 p.m. or 16:00.
  const own = preferred.map(asTag).find((tag) => tag.toLowerCase().startsWith(`${language}-`) && isTag(tag));
  return own ?? (language === "en" ? "en-GB" : language);
}

/** Normalizes locales of the operating system, such as `en_US.UTF-8` or `en-US@posix`, which some browsers report. */
function asTag(locale: string): string {
  return locale.replace(/[.@].*$/s, "").replaceAll("_", "-");
}

/** Whether `Intl` accepts the tag; it throws for invalid ones. */
function isTag(text: string): boolean {
  try {
    return Intl.getCanonicalLocales(text).length > 0;
  } catch {
    return false;
  }
}
