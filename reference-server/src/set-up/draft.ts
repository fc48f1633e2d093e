import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import { deflateRawSync, inflateRawSync } from "node:zlib";
import { VaultError } from "../platform/vault/key-ring.js";
import type { Vault } from "../platform/vault/vault.js";
import { type Parameters, readForm } from "../protocol/parameters.js";
import type { TestResult } from "../registry/probes/sign-in-checks.js";
import {
  type BrowserCookies,
  type CookieReader,
  type CookieWriter,
  csrfToken,
  isCsrfToken,
  isOwnForm,
} from "../sign-in/browser.js";
import type { Installation, PresetKey } from "./installation.js";

/** What one browser has entered so far. Exists in its cookie only, sealed. */
interface SetUpDraft {
  /** Epoch milliseconds: the fixed end of the set-up in this browser. */
  readonly expiresAt: number;
  /** The kind of provider that was chosen. */
  readonly preset?: PresetKey;
  readonly installation?: Installation;
  /** The way to the provider that this browser is on. */
  readonly attempt?: SetUpAttempt;
  /** How the last sign-in with exactly this installation ended. */
  readonly result?: SetUpResult;
}

/** A test saves nothing; a completion saves everything. */
type Purpose = "test" | "complete";

export type SetUpResult = TestResult & { readonly purpose: Purpose };

export interface SetUpAttempt {
  readonly purpose: Purpose;
  readonly state: string;
  readonly expiresAt: number;
}

/** A set-up in one browser lasts this long. */
export const draftSeconds = 3600;

/** Browsers keep 4096 bytes per cookie, name and attributes included. */
const maximumLength = 3800;

/** Seals drafts into cookies, each for one browser. */
interface DraftVault {
  /** `undefined` when it is too long for a cookie. */
  seal(draft: SetUpDraft, browserSecret: string): Promise<string | undefined>;
  /** `undefined` when it is not ours, of another browser, or over. */
  open(sealed: string | undefined, browserSecret: string): Promise<SetUpDraft | undefined>;
}

/**
 * Creates the vault of drafts.
 *
 * A draft opens in the browser that it was made for, and only as long as the set-up token is the same.
 */
export function createDraftVault(options: {
  readonly credentials: Vault;
  readonly setupToken: Buffer;
  readonly clock: () => number;
}): DraftVault {
  const { credentials, setupToken, clock } = options;
  const rowOf = (browserSecret: string) =>
    `set_up/${createHmac("sha256", setupToken).update(browserSecret).digest("base64url")}`;
  return {
    async seal(draft, browserSecret) {
      const text = deflateRawSync(JSON.stringify(draft)).toString("base64");
      const sealed = (await credentials.seal(text, rowOf(browserSecret))).toString("base64url");
      return sealed.length > maximumLength ? undefined : sealed;
    },
    async open(sealed, browserSecret) {
      if (sealed === undefined || sealed.length > maximumLength) return undefined;
      try {
        const text = await credentials.open(Buffer.from(sealed, "base64url"), rowOf(browserSecret));
        const json = inflateRawSync(Buffer.from(text, "base64"), { maxOutputLength: 64 * 1024 });
        const draft = JSON.parse(json.toString("utf8")) as SetUpDraft;
        return draft.expiresAt > clock() ? draft : undefined;
      } catch (error) {
        if (error instanceof VaultError) return undefined;
        throw error;
      }
    },
  };
}

/** Whether a text is the set-up token, in constant time. */
export function isSetUpToken(text: string | undefined, setupToken: Buffer): boolean {
  const digest = (value: string) => createHash("sha256").update(value).digest();
  return timingSafeEqual(digest(text?.trim() ?? ""), digest(setupToken.toString("base64url")));
}

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

/** Reads and writes the set-up's state in a browser. */
export interface SetUpBrowser {
  csrfOf(browserSecret: string): string;
  readDraft(request: SetUpRequest): Promise<KnownBrowser | undefined>;
  /** `undefined` when the form was posted from anywhere else. */
  readForm(request: SetUpRequest): Parameters | undefined;
  /** Returns whether the draft fits into its cookie. */
  writeDraft(reply: CookieWriter, browser: KnownBrowser): Promise<boolean>;
  /** Stores how a sign-in ended; the provider's text is left out when it is too long. */
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
      const form = readForm(request);
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
