import { type Language, languages } from "../text/texts.js";

export type { Language };

/** The spoken language that a browser likes best, by its `Accept-Language`; the first one when it likes none of them. */
export function readLanguage(
  acceptLanguage: string | undefined,
  spoken: readonly [Language, ...Language[]] = languages,
): Language {
  const wishes = (acceptLanguage ?? "")
    .slice(0, 1000)
    .split(",")
    .flatMap((item) => readWish(item, spoken));
  const [best] = wishes.sort((one, other) => other.weight - one.weight);
  return best?.language ?? spoken[0];
}

function readWish(item: string, spoken: readonly Language[]): { language: Language; weight: number }[] {
  const [range = "", ...parameters] = item.split(";").map((part) => part.trim().toLowerCase());
  const language = spoken.find((known) => {
    const tag = known.toLowerCase();
    return range === tag || range.startsWith(`${tag}-`);
  });
  const quality = parameters.find((parameter) => parameter.startsWith("q="))?.slice(2);
  const weight = quality === undefined ? 1 : Number(quality);
  return language === undefined || !(weight > 0) ? [] : [{ language, weight }];
}
