import { createSecret, hashSecret } from "../protocol/secrets.js";
import { lifetimes } from "../protocol/vocabulary.js";
import type { StoredAuthorizationRequest } from "../store/authorization-requests.js";
import type { IdentityProvider } from "../store/identity-providers.js";
import type { Store } from "../store/store.js";
import { attemptSecrets } from "./browser.js";
import type { SignInLink } from "./sign-in-link.js";
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
 * Whether a client asked that the person signs in for this request. The link says so too, but a person can change a
 * link; and a provider that is not asked need not say how long ago its own sign-in was.
 */
function wantsLogin({
  prompts,
  maxAgeSeconds,
}: Pick<StoredAuthorizationRequest, "prompts" | "maxAgeSeconds">): boolean {
  return prompts.includes("login") || maxAgeSeconds !== null;
}
