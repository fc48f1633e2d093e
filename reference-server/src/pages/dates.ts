import type { Language } from "../text/texts.js";
import { type Html, html } from "./html.js";

/** Converts the moments of a page to the browser's time zone. */
export const timesScript = "/assets/times.js";

const formats = new Map<Language, Intl.DateTimeFormat>();

/** A moment in UTC, because the server does not know the browser's time zone. */
export function renderMoment(moment: Date, { language }: { readonly language: Language }): string {
  return `${formatOf(language).format(moment)} UTC`;
}

/** A moment that {@link timesScript} converts to the browser's time zone, where scripts run. */
export function renderTime(moment: Date, texts: { readonly language: Language }): Html {
  return html`<time datetime="${moment.toISOString()}">${renderMoment(moment, texts)}</time>`;
}

/** Making a format takes a hundred times as long as using it. */
function formatOf(language: Language): Intl.DateTimeFormat {
  const known = formats.get(language);
  if (known !== undefined) return known;
  // In American English the day would stand after the month, which people elsewhere read the other way round.
  const locale = language === "en" ? "en-GB" : language;
  const format = new Intl.DateTimeFormat(locale, {
    dateStyle: "medium",
    timeStyle: "short",
    timeZone: "UTC",
  });
  formats.set(language, format);
  return format;
}
