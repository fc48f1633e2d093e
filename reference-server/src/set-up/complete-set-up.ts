import type { Vault } from "../platform/vault/vault.js";
import { Refusal } from "../registry/refusal.js";
import type { Browser } from "../sign-in/browser.js";
import type { ProvidedIdentity } from "../sign-in/identity.js";
import { openSession } from "../sign-in/open-session.js";
import { SignInError } from "../sign-in/sign-in-error.js";
import type { Store } from "../store/store.js";
import { SignInFault } from "../registry/probes/sign-in-checks.js";
import type { Installation } from "./installation.js";
import { storeInstallation } from "./store-installation.js";

export interface SetUpCompletion {
  readonly installation: Installation;
  /** Who just signed in at the provider, and is the first administrator. */
  readonly identity: ProvidedIdentity;
  readonly browser: Browser;
  readonly userAgent: string | null;
  /** What the browser prefers of the languages that are spoken here. */
  readonly language: string;
  readonly requestId: string;
}

/**
 * Stores the installation and signs its first administrator in, or does nothing at all.
 *
 * @returns the token of the new session; `undefined` when the set-up was completed before
 * @throws {SignInFault} `user_disabled`, or `not_saved`: the registry refuses it
 */
export async function completeSetUp(
  completion: SetUpCompletion,
  { store, credentials, now }: { store: Store; credentials: Vault; now: Date },
): Promise<string | undefined> {
  const { installation, identity, requestId } = completion;
  try {
    return await store.transaction(async (tx) => {
      const by = { store: tx, credentials, by: "browser", at: now, requestId } as const;
      const stored = await storeInstallation(installation, by);
      if (stored === undefined) return undefined;
      const { provider } = stored;
      const opened = await openSession(identity, {
        provider,
        claimed: undefined,
        askedAnewAt: null,
        input: completion,
        store: tx,
        now,
      });
      await stored.record({ type: "user", id: opened.userId });
      return opened.token;
    });
  } catch (error) {
    if (error instanceof Refusal) {
      throw new SignInFault("not_saved", { email: identity.email, detail: error.message });
    }
    if (!(error instanceof SignInError) || error.reason !== "user_disabled") throw error;
    throw new SignInFault("user_disabled", { email: identity.email });
  }
}
