import type { LogoFacts } from "../store/settings.js";
import type { Store } from "../store/store.js";
import { type Language, languages, type Texts, textsIn } from "../text/texts.js";

/** What every page of one answer shares: whose installation it is, and the words for this browser. */
export interface Frame {
  /** `undefined` when the database is unavailable. */
  readonly installationName: string | undefined;
  /** Where the installation's logo is; `undefined` when it has none. */
  readonly logo?: string | undefined;
  readonly texts: Texts;
}

/** The part of a request that decides over the words. */
export interface FrameRequest {
  readonly headers: { readonly "accept-language"?: string | undefined };
}

/** Where the name and the logo of the installation are found. */
export interface FrameSource {
  readonly settings: Pick<Store["settings"], "get">;
}

/** Loads the frame of the pages that answer a request. */
export async function loadFrame(request: FrameRequest, store: FrameSource): Promise<Frame> {
  const { installationName, logo } = await store.settings.get();
  return { installationName, logo: logo === null ? undefined : logoPath(logo), texts: textsFor(request) };
}

/** The words for the browser behind a request. */
export function textsFor({ headers }: FrameRequest): Texts {
  return textsIn(readLanguage(headers["accept-language"]));
}

/** Where the logo is shown from: another address for another image, so that no cache shows the one before. */
export function logoPath({ digest }: Pick<LogoFacts, "digest">): string {
  return `/assets/logo?v=${digest.slice(0, 16)}`;
}

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
