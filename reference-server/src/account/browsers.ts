import type { BrowserSession } from "../store/browser-sessions.js";
import type { Store } from "../store/store.js";

/** A browser that a person is signed in in. */
export interface SignedInBrowser {
  /** Of the session. */
  readonly id: string;
  readonly name: string;
  readonly since: Date;
  /** Whether it is the one that asks. */
  readonly current: boolean;
}

/** Nobody looks through more. */
const limit = 50;

/** The browsers that a person is signed in in: the one that asks first, then the newest. */
export async function loadBrowsers(
  store: Pick<Store, "browserSessions">,
  { session, now }: { readonly session: BrowserSession; readonly now: Date },
): Promise<readonly SignedInBrowser[]> {
  const sessions = await store.browserSessions.listLive({ userId: session.userId, now, limit });
  const browsers = sessions.map(({ id, userAgent, signedInAt }) => ({
    id,
    name: browserName(userAgent),
    since: signedInAt,
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

/** A browser in the words of a person: "Firefox on Linux". Order matters: most name others as well. */
export function browserName(userAgent: string | null): string {
  const nameIn = (names: typeof products | typeof systems) =>
    names.find(([pattern]) => pattern.test(userAgent ?? ""))?.[1];
  const system = nameIn(systems);
  const product = nameIn(products) ?? "A browser";
  return system === undefined ? product : `${product} on ${system}`;
}
