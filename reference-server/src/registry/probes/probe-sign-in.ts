import { randomUUID } from "node:crypto";
import { providerSecretRow } from "../../platform/vault/rows.js";
import type { Vault } from "../../platform/vault/vault.js";
import { attemptSecrets } from "../../sign-in/browser.js";
import type { Confirmation, ConfirmationRequest } from "../../sign-in/confirm-person.js";
import { SignInError } from "../../sign-in/identity.js";
import {
  createRelyingParty,
  type ProviderAnswer,
  type RelyingParty,
  type RelyingPartyOptions,
} from "../../sign-in/relying-party.js";
import type { IdentityProvider } from "../../store/identity-providers.js";
import { diagnose, watch } from "./diagnose-sign-in.js";
import type { ProbedProvider } from "./probed-provider.js";

/** What binds one way to the provider and back to one browser. */
interface ProbedSignIn {
  readonly provider: ProbedProvider;
  readonly state: string;
  readonly browserSecret: string;
}

/** Performs a sign-in without session, person or grant. Nothing is cached: every step asks the provider. */
export interface SignInProbe {
  /** The address at the provider. @throws {SignInFault} */
  begin(journey: ProbedSignIn): Promise<URL>;
  /** The person who came back, and the refresh token, if the provider gave one. @throws {SignInFault} */
  finish(journey: ProbedSignIn, answer: ProviderAnswer): ReturnType<RelyingParty["complete"]>;
  /** Asks with a refresh token whether the person is still there. */
  confirm(provider: ProbedProvider, request: ConfirmationRequest): Promise<Confirmation>;
}

export function createSignInProbe(options: RelyingPartyOptions): SignInProbe {
  async function attempt<T>(
    way: "there" | "back",
    { provider }: ProbedSignIn,
    work: (relyingParty: RelyingParty, temporary: IdentityProvider) => Promise<T>,
  ): Promise<T> {
    const watched = watch(options.outboundFetch);
    const relyingParty = createRelyingParty({ ...options, outboundFetch: watched.fetch });
    try {
      return await work(relyingParty, await temporaryProvider(provider, options.credentials));
    } catch (error) {
      if (!(error instanceof SignInError)) throw error;
      throw diagnose(error, { way, last: watched.last() }) ?? error;
    }
  }

  return {
    begin: (journey) =>
      attempt("there", journey, async (relyingParty, provider) => {
        const { state, browserSecret } = journey;
        // The session that the person may have at the provider proves nothing about who sits here.
        return await relyingParty.authorizationUrl(
          provider,
          { state, ...attemptSecrets(browserSecret, state) },
          "login",
        );
      }),
    finish: (journey, answer) =>
      attempt("back", journey, async (relyingParty, provider) => {
        const { state, browserSecret } = journey;
        const secrets = { state, ...attemptSecrets(browserSecret, state) };
        return await relyingParty.complete(provider, secrets, answer);
      }),
    confirm: async (provider, request) =>
      await createRelyingParty(options).confirm(
        await temporaryProvider(provider, options.credentials),
        request,
      ),
  };
}

async function temporaryProvider(
  { clientSecret, key = "probe", ...known }: ProbedProvider,
  credentials: Vault,
): Promise<IdentityProvider> {
  const id = randomUUID();
  const sealed = clientSecret === null ? null : await credentials.seal(clientSecret, providerSecretRow(id));
  return { ...known, id, key, clientSecret: sealed, enabled: true };
}
