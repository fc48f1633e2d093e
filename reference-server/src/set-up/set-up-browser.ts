import { csrfToken, isCsrfToken, isOwnForm } from "../sign-in/browser.js";
import type { BrowserCookies, CookieReader, CookieWriter } from "../sign-in/browser-cookies.js";
import { type Parameters, parseForm, readParameters } from "../protocol/parameters.js";
import type { DraftVault, SetUpDraft, SetUpResult } from "./draft.js";

/** A browser whose draft is known. */
export interface KnownBrowser {
  readonly browserSecret: string;
  readonly draft: SetUpDraft;
}

/** A form of the set-up that was posted from its own page. */
export interface OwnPost extends KnownBrowser {
  readonly form: Parameters;
}

/** A request whose cookies are parsed. */
interface SetUpRequest extends CookieReader {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body?: unknown;
}

/** What a set-up knows about the browser behind a request, and leaves with it. */
export interface SetUpBrowser {
  csrfOf(browserSecret: string): string;
  readDraft(request: SetUpRequest): Promise<KnownBrowser | undefined>;
  /** `undefined` when the form was posted from anywhere else. */
  readForm(request: SetUpRequest): Parameters | undefined;
  /** Returns whether the draft fits into its cookie. */
  writeDraft(reply: CookieWriter, browser: KnownBrowser): Promise<boolean>;
  /** Remembers how a sign-in ended; what the provider said is left out when it is too long. */
  writeResult(reply: CookieWriter, browser: KnownBrowser, result: SetUpResult): Promise<void>;
}

export function createSetUpBrowser(options: {
  readonly issuer: string;
  readonly sessionSecret: Buffer;
  readonly cookies: BrowserCookies;
  readonly drafts: DraftVault;
  readonly clock: () => number;
}): SetUpBrowser {
  const { issuer, sessionSecret, cookies, drafts, clock } = options;
  const csrfOf = (browserSecret: string) => csrfToken(sessionSecret, { id: browserSecret }, "set-up");

  async function writeDraft(reply: CookieWriter, { draft, browserSecret }: KnownBrowser): Promise<boolean> {
    const sealed = await drafts.seal(draft, browserSecret);
    if (sealed !== undefined) cookies.writeSetUp(reply, sealed, (draft.expiresAt - clock()) / 1000);
    return sealed !== undefined;
  }

  return {
    csrfOf,
    async readDraft(request) {
      const browserSecret = cookies.readSecret(request);
      if (browserSecret === undefined) return undefined;
      const draft = await drafts.open(cookies.readSetUp(request), browserSecret);
      return draft && { browserSecret, draft };
    },
    readForm(request) {
      const { "content-type": type } = request.headers;
      const contentType = typeof type === "string" ? type : undefined;
      const form = readParameters(() => parseForm(contentType, request.body as Buffer | undefined));
      const browserSecret = cookies.readSecret(request);
      if (form === undefined || browserSecret === undefined || !isOwnForm(request.headers, issuer))
        return undefined;
      return isCsrfToken(form.get("csrf"), csrfOf(browserSecret)) ? form : undefined;
    },
    writeDraft,
    async writeResult(reply, { draft, browserSecret }, result) {
      if (await writeDraft(reply, { draft: { ...draft, result }, browserSecret })) return;
      const { detail: _detail, ...short } = result;
      await writeDraft(reply, { draft: { ...draft, result: short }, browserSecret });
    },
  };
}
