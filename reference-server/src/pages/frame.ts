import type { Store } from "../store/store.js";
import { type Texts, textsIn } from "../text/texts.js";
import { logoPath } from "./branding/logo-path.js";
import { readLanguage } from "./language.js";

/** What every page of one answer shares: whose installation it is, and the words for this browser. */
export interface Frame {
  /** `undefined` when the database cannot say. */
  readonly installationName: string | undefined;
  /** Where the installation's logo is; `undefined` when it has none. */
  readonly logo?: string | undefined;
  readonly texts: Texts;
}

/** The part of a request that decides over the words. */
export interface FrameRequest {
  readonly headers: { readonly "accept-language"?: string | undefined };
}

/** Loads the frame of the pages that answer a request. */
export async function loadFrame(
  request: FrameRequest,
  store: { readonly settings: Pick<Store["settings"], "get"> },
): Promise<Frame> {
  const { installationName, logo } = await store.settings.get();
  return { installationName, logo: logo === null ? undefined : logoPath(logo), texts: textsFor(request) };
}

/** The words for the browser behind a request. */
export function textsFor({ headers }: FrameRequest): Texts {
  return textsIn(readLanguage(headers["accept-language"]));
}
