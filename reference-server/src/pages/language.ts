/** The languages that pages are written in. */
export const languages = ["en", "de"] as const;

export type Language = (typeof languages)[number];

/** The written language that a browser likes best, by its `Accept-Language`; English when it likes none of them. */
export function readLanguage(acceptLanguage: string | undefined): Language {
  const wishes = (acceptLanguage ?? "").slice(0, 1000).split(",").flatMap(readWish);
  const [best] = wishes.sort((one, other) => other.weight - one.weight);
  return best?.language ?? "en";
}

function readWish(item: string): { language: Language; weight: number }[] {
  const [range = "", ...parameters] = item.split(";").map((part) => part.trim().toLowerCase());
  const language = languages.find((known) => range === known || range.startsWith(`${known}-`));
  const quality = parameters.find((parameter) => parameter.startsWith("q="))?.slice(2);
  const weight = quality === undefined ? 1 : Number(quality);
  return language === undefined || !(weight > 0) ? [] : [{ language, weight }];
}
