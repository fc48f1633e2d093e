import type { Texts } from "./texts/texts.js";

/** A moment for people anywhere: the server does not know where the browser is, so it says the time zone. */
export function renderMoment(moment: Date, { language }: Texts): string {
  const options = { dateStyle: "medium", timeStyle: "short", timeZone: "UTC" } as const;
  return `${new Intl.DateTimeFormat(language === "en" ? "en-GB" : language, options).format(moment)} UTC`;
}
