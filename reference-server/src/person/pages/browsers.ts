import type { BrowserSession } from "../../store/browser-sessions.js";
import type { Store } from "../../store/store.js";

/** A browser in which a person is signed in. */
export interface SignedInBrowser {
  /** Of the session. */
  readonly id: string;
  /** `undefined`: unknown. */
  readonly product: string | undefined;
  readonly system: string | undefined;
  readonly since: Date;
  /** To ten minutes. */
  readonly lastUsedAt: Date;
  /** Whether it sent this request. */
  readonly current: boolean;
}

/** Longer lists are cut. */
const limit = 50;

/** The browsers in which a person is signed in: the present one first, then the newest. */
export async function loadBrowsers(
  store: Pick<Store, "browserSessions">,
  { session, now }: { readonly session: BrowserSession; readonly now: Date },
): Promise<readonly SignedInBrowser[]> {
  const sessions = await store.browserSessions.listLive({ userId: session.userId, now, limit });
  const browsers = sessions.map(({ id, userAgent, signedInAt, lastUsedAt }) => ({
    id,
    ...readUserAgent(userAgent),
    since: signedInAt,
    lastUsedAt,
    current: id === session.id,
  }));
  return browsers.sort((one, other) => Number(other.current) - Number(one.current));
}

const products = [
  [/\bEdgA?\//, "Edge"],
  [/\bOPR\//, "Opera"],
  [/\bFirefox\/|\bFxiOS\//, "Firefox"],
  [/Chrome\/|\bCriOS\/|\bChromium\//, "Chrome"],
  [/\bSafari\//, "Safari"],
] as const;

const systems = [
  [/\bAndroid\b/, "Android"],
  [/\b(?:iPhone|iPad)\b/, "iOS"],
  [/\bMac OS X\b/, "macOS"],
  [/\bWindows\b/, "Windows"],
  [/\bCrOS\b/, "ChromeOS"],
  [/\bLinux\b/, "Linux"],
] as const;

/** Product and system of a User-Agent. Order matters: most name others as well. */
export function readUserAgent(userAgent: string | null): Pick<SignedInBrowser, "product" | "system"> {
  const nameIn = (names: typeof products | typeof systems) =>
    names.find(([pattern]) => pattern.test(userAgent ?? ""))?.[1];
  return { product: nameIn(products), system: nameIn(systems) };
}
