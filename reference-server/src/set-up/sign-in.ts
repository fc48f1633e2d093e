import { randomUUID } from "node:crypto";
import { providerSecretRow } from "../platform/vault/rows.js";
import type { CredentialVault } from "../platform/vault/credential-vault.js";
import { attemptSecrets } from "../sign-in/browser.js";
import type { ProvidedIdentity } from "../sign-in/identity.js";
import { SignInError } from "../sign-in/sign-in-error.js";
import { createRelyingParty, type RelyingParty } from "../sign-in/relying-party.js";
import type { OutboundFetch } from "../platform/outbound/outbound-fetch.js";
import type { IdentityProvider } from "../store/identity-providers.js";
import { decideAdministrator } from "./checks.js";
import { diagnose, watch } from "./diagnose.js";
import type { Installation } from "./installation.js";

export interface SetUpSignInOptions {
  /** Of this server. */
  readonly issuer: string;
  readonly credentials: CredentialVault;
  readonly outboundFetch: OutboundFetch;
  readonly allowInsecureLoopback: boolean;
  readonly clock: () => number;
}

/** What binds one way to the provider and back to one browser. */
export interface SetUpJourney {
  readonly installation: Installation;
  readonly state: string;
  readonly browserSecret: string;
}

/** Signs in at a provider that is stored nowhere. Nothing is remembered: every step asks the provider anew. */
export interface SetUpSignIn {
  /** The address at the provider. @throws {SetUpFault} */
  begin(journey: SetUpJourney): Promise<URL>;
  /** Who came back, if it is the first administrator. @throws {SetUpFault} */
  finish(journey: SetUpJourney, query: string): Promise<ProvidedIdentity>;
}

export function createSetUpSignIn(options: SetUpSignInOptions): SetUpSignIn {
  async function attempt<T>(
    way: "there" | "back",
    { installation }: SetUpJourney,
    work: (relyingParty: RelyingParty, provider: IdentityProvider) => Promise<T>,
  ): Promise<T> {
    const watched = watch(options.outboundFetch);
    const relyingParty = createRelyingParty({ ...options, outboundFetch: watched.fetch });
    try {
      return await work(relyingParty, temporaryProvider(installation, options.credentials));
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
        const { state, browserSecret, installation } = journey;
        const secrets = { state, ...attemptSecrets(browserSecret, state) };
        const claims = await relyingParty.complete(provider, secrets, { query, wantsGroups: false });
        return decideAdministrator(claims, installation);
      }),
  };
}

function temporaryProvider({ provider }: Installation, credentials: CredentialVault): IdentityProvider {
  const { clientSecret, ...known } = provider;
  const id = randomUUID();
  const sealed = clientSecret === null ? null : credentials.seal(clientSecret, providerSecretRow(id));
  return { ...known, id, key: "set-up", clientSecret: sealed, enabled: true };
}
