import { randomUUID } from "node:crypto";
import { providerSecretRow } from "../../platform/vault/rows.js";
import type { CredentialVault } from "../../platform/vault/credential-vault.js";
import { attemptSecrets } from "../../sign-in/browser.js";
import type { ProvidedIdentity } from "../../sign-in/identity.js";
import { SignInError } from "../../sign-in/sign-in-error.js";
import { createRelyingParty, type RelyingParty } from "../../sign-in/relying-party.js";
import type { OutboundFetch } from "../../platform/outbound/outbound-fetch.js";
import type { IdentityProvider } from "../../store/identity-providers.js";
import { decideAdministrator, type SignInCandidate } from "./sign-in-checks.js";
import { diagnose, watch } from "./diagnose-sign-in.js";

export interface SignInProbeOptions {
  /** Of this server. */
  readonly issuer: string;
  readonly credentials: CredentialVault;
  readonly outboundFetch: OutboundFetch;
  readonly allowInsecureLoopback: boolean;
  readonly clock: () => number;
}

/** What binds one way to the provider and back to one browser. */
export interface ProbedSignIn {
  readonly candidate: SignInCandidate;
  readonly state: string;
  readonly browserSecret: string;
}

/** Signs in at a provider that is stored nowhere. Nothing is remembered: every step asks the provider anew. */
export interface SignInProbe {
  /** The address at the provider. @throws {SignInFault} */
  begin(journey: ProbedSignIn): Promise<URL>;
  /** Who came back, if it is the first administrator. @throws {SignInFault} */
  finish(journey: ProbedSignIn, query: string): Promise<ProvidedIdentity>;
}

export function createSignInProbe(options: SignInProbeOptions): SignInProbe {
  async function attempt<T>(
    way: "there" | "back",
    { candidate }: ProbedSignIn,
    work: (relyingParty: RelyingParty, provider: IdentityProvider) => Promise<T>,
  ): Promise<T> {
    const watched = watch(options.outboundFetch);
    const relyingParty = createRelyingParty({ ...options, outboundFetch: watched.fetch });
    try {
      return await work(relyingParty, temporaryProvider(candidate, options.credentials));
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
    finish: (journey, query) =>
      attempt("back", journey, async (relyingParty, provider) => {
        const { state, browserSecret, candidate } = journey;
        const secrets = { state, ...attemptSecrets(browserSecret, state) };
        const claims = await relyingParty.complete(provider, secrets, { query, wantsGroups: false });
        return decideAdministrator(claims, candidate);
      }),
  };
}

function temporaryProvider({ provider }: SignInCandidate, credentials: CredentialVault): IdentityProvider {
  const { clientSecret, ...known } = provider;
  const id = randomUUID();
  const sealed = clientSecret === null ? null : credentials.seal(clientSecret, providerSecretRow(id));
  return { ...known, id, key: "probe", clientSecret: sealed, enabled: true };
}
