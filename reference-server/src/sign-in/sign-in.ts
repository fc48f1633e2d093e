import type { RefusalRecord } from "../audit/refusals.js";
import type { Vault } from "../platform/vault/vault.js";
import { createSecret, hashSecret } from "../protocol/secrets.js";
import { lifetimes } from "../protocol/vocabulary.js";
import type { StoredAuthorizationRequest } from "../store/authorization-requests.js";
import type { IdentityProvider } from "../store/identity-providers.js";
import type { SignInAttempt } from "../store/sign-in-attempts.js";
import type { Store } from "../store/store.js";
import { attemptSecrets, type Browser } from "./browser.js";
import { groupsOf } from "./claimed-groups.js";
import { callbackKeyOf, type SignInLink } from "./sign-in-link.js";
import { decideIdentity, SignInError } from "./identity.js";
import { openSession } from "./open-session.js";
import type { RelyingParty } from "./relying-party.js";

/**
 * Begins a sign-in at a provider and returns the address there; `undefined` when the provider was removed meanwhile.
 *
 * @throws {SignInError}
 */
export async function beginSignIn(
  input: {
    readonly provider: IdentityProvider;
    readonly browserSecret: string;
    readonly link: SignInLink;
  },
  { store, relyingParty, now }: { store: Store; relyingParty: RelyingParty; now: Date },
): Promise<URL | undefined> {
  const { provider, browserSecret } = input;
  const { request: authorizationRequestId, returnTo, prompt } = input.link;
  const state = createSecret();
  const secrets = attemptSecrets(browserSecret, state);
  const known =
    authorizationRequestId !== undefined &&
    (await store.authorizationRequests.findOpen({
      id: authorizationRequestId,
      browserHash: hashSecret(browserSecret),
      now,
    }));
  const wanted = known && wantsLogin(known) ? "login" : prompt;
  const url = await relyingParty.authorizationUrl(provider, { state, ...secrets }, wanted);
  const begun = await store.signInAttempts.insert({
    stateHash: secrets.stateHash,
    browserHash: secrets.browserHash,
    providerId: provider.id,
    authorizationRequestId: known ? known.id : null,
    returnTo: returnTo ?? null,
    asksAnew: wanted === "login",
    createdAt: now,
    expiresAt: new Date(now.getTime() + lifetimes.signInAttempt * 1000),
  });
  return begun ? url : undefined;
}

/**
 * Whether a client asked for a new sign-in. The link has the prompt too, but users can change a link; and a provider that is not asked
 * need not report how long ago its own sign-in was.
 */
function wantsLogin({
  prompts,
  maxAgeSeconds,
}: Pick<StoredAuthorizationRequest, "prompts" | "maxAgeSeconds">): boolean {
  return prompts.includes("login") || maxAgeSeconds !== null;
}

/** A provider's answer, and the browser that brought it. */
interface SignInReturn {
  /** The query as received. */
  readonly query: string;
  readonly state: string;
  /** What the path ended with that the browser came back to. */
  readonly callbackKey: string | undefined;
  readonly browserSecret: string;
  readonly browser: Browser;
  /** What the browser calls itself. */
  readonly userAgent: string | null;
  /** What it prefers of the languages that are spoken here. */
  readonly language: string;
  readonly requestId: string;
}

/** The end of a sign-in. `overdue`: this browser has no such attempt, or the provider is gone. */
type SignInResult =
  | { readonly kind: "overdue" }
  | {
      readonly kind: "refused";
      readonly error: SignInError;
      readonly provider: IdentityProvider;
      readonly attempt: SignInAttempt;
    }
  | {
      readonly kind: "signed-in";
      readonly sessionToken: string;
      readonly attempt: SignInAttempt;
    };

/** Takes the attempt, redeems the provider's answer, and opens a new session in place of the old one. */
export async function completeSignIn(
  input: SignInReturn,
  {
    store,
    refusals,
    relyingParty,
    credentials,
    now,
  }: {
    store: Store;
    refusals: RefusalRecord;
    relyingParty: RelyingParty;
    credentials: Vault;
    now: Date;
  },
): Promise<SignInResult> {
  const { state, browserSecret, query } = input;
  const secrets = attemptSecrets(browserSecret, state);
  const attempt = await store.signInAttempts.take({ ...secrets, now });
  const provider = attempt && (await store.identityProviders.find(attempt.providerId));
  if (attempt === undefined || provider === undefined || !provider.enabled) return { kind: "overdue" };

  try {
    requireOwnCallback(provider, input);
    const groupProvider = await store.groupProviders.findByIdentityProvider(provider.id);
    const wantsGroups = groupProvider?.type === "claim" && groupProvider.enabled;
    const answer = { query, wantsGroups };
    const { claims, refreshToken } = await relyingParty.complete(provider, { state, ...secrets }, answer);
    const identity = decideIdentity(claims, provider);
    const claimed = groupProvider && { groupProvider, groups: wantsGroups ? groupsOf(claims) : [] };
    const opened = await store.transaction(async (tx) => {
      if (!(await tx.identityProviders.hold(provider.id))) return undefined;
      const counts = claimed !== undefined && (await tx.groupProviders.hold(claimed.groupProvider.id));
      const askedAnewAt = attempt.asksAnew ? attempt.createdAt : null;
      return await openSession(identity, {
        provider,
        claimed: counts ? claimed : undefined,
        refreshToken: provider.presence === "on" ? refreshToken : undefined,
        credentials,
        askedAnewAt,
        input,
        store: tx,
        now,
      });
    });
    if (opened === undefined) return { kind: "overdue" };
    return { kind: "signed-in", sessionToken: opened.token, attempt };
  } catch (error) {
    if (!(error instanceof SignInError)) throw error;
    await refusals.record(store, {
      type: "sign_in.refused",
      outcome: error.reason === "provider_unreachable" ? "failed" : "denied",
      actor: { type: "system" },
      at: now,
      requestId: input.requestId,
      data: { provider: provider.key, reason: error.reason },
    });
    return { kind: "refused", error, provider, attempt };
  }
}

/**
 * A provider can send browsers on to another one, with the state of its own attempt. The answer of that one comes to its
 * own callback, and goes no further: its code is nothing that the first may see (RFC 9700 §4.4).
 *
 * @throws {SignInError} `invalid_response`
 */
function requireOwnCallback(provider: IdentityProvider, { callbackKey }: SignInReturn): void {
  if (callbackKeyOf(provider) === callbackKey) return;
  const cause = new TypeError(
    `The answer came to a callback that is not that of the provider ${provider.key}.`,
  );
  throw new SignInError("invalid_response", { cause });
}
