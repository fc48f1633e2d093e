import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import { deflateRawSync, inflateRawSync } from "node:zlib";
import { VaultError } from "../platform/vault/key-ring.js";
import type { Vault } from "../platform/vault/vault.js";
import type { TestResult } from "../registry/probes/sign-in-checks.js";
import type { Installation } from "./installation.js";
import type { PresetKey } from "./presets.js";

/** What one browser has entered so far. Exists in its cookie only, sealed. */
export interface SetUpDraft {
  /** Epoch milliseconds; the end of the set-up in this browser, whatever happens meanwhile. */
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
export interface DraftVault {
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

/** Whether a text is the set-up token. Takes the same time whatever is wrong with it. */
export function isSetUpToken(text: string | undefined, setupToken: Buffer): boolean {
  const digest = (value: string) => createHash("sha256").update(value).digest();
  return timingSafeEqual(digest(text?.trim() ?? ""), digest(setupToken.toString("base64url")));
}
