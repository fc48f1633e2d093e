import { sendDeadEnd } from "../pages/problem-page.js";
import type { Exchange } from "../platform/http/security-headers.js";
import { paths } from "../protocol/vocabulary.js";
import type { PageContext } from "../sign-in/page-context.js";
import type { OwnPost, SetUpBrowser } from "./draft.js";

/** What the steps of the set-up share. */
export interface SetUpContext extends PageContext {
  readonly browsers: SetUpBrowser;
}

/** Whether the set-up is complete. */
export async function isClosed({ store }: SetUpContext): Promise<boolean> {
  return (await store.installation.state()) === "installed";
}

/** The form that was posted; `undefined` when the set-up is closed, or over in this browser, which is then answered. */
export async function readPost(exchange: Exchange, setUp: SetUpContext): Promise<OwnPost | undefined> {
  if (await isClosed(setUp)) {
    await sendClosed(exchange, setUp);
    return undefined;
  }
  const form = setUp.browsers.readForm(exchange.request);
  const known = await setUp.browsers.readDraft(exchange.request);
  if (form !== undefined && known !== undefined) return { ...known, form };
  await sendOver(exchange, setUp);
  return undefined;
}

export async function sendClosed(
  exchange: Exchange,
  { cookies, store }: SetUpContext,
): Promise<Exchange["reply"]> {
  cookies.clearSetUp(exchange.reply);
  const action = { href: paths.home, label: "pages.problem.startPage" } as const;
  return await sendDeadEnd(exchange, { path: "set-up.closed", status: 410, action }, store);
}

export async function sendOver(exchange: Exchange, { store }: SetUpContext): Promise<Exchange["reply"]> {
  const action = { href: paths.setUp, label: "set-up.over.action" } as const;
  return await sendDeadEnd(exchange, { path: "set-up.over", status: 400, action }, store);
}
