import type { LogoFacts } from "../../store/settings.js";

/** Where the logo is shown from: another address for another image, so that no cache shows the one before. */
export function logoPath({ digest }: Pick<LogoFacts, "digest">): string {
  return `/assets/logo?v=${digest.slice(0, 16)}`;
}
