import * as oidc from "openid-client";
import type { CredentialVault } from "../credentials/vault.js";
import type { OutboundFetch } from "../outbound/outbound-fetch.js";
import type { IdentityProvider } from "../store/providers.js";
import type { UpstreamClaims } from "./identity.js";
import { SignInError } from "./sign-in-error.js";

/** What protects one way to the provider and back. */
export interface UpstreamAttempt {
  readonly state: string;
  readonly nonce: string;
  readonly codeVerifier: string;
}

/** The company's OpenID providers, as this server's client. */
export interface Upstream {
  /** The address at the provider that the browser goes to. @throws {SignInError} */
  authorizationUrl(
    provider: IdentityProvider,
    attempt: UpstreamAttempt,
    prompt: "login" | "select_account" | undefined,
  ): Promise<URL>;
  /** Redeems what the provider sent back with the browser. @throws {SignInError} */
  complete(provider: IdentityProvider, attempt: UpstreamAttempt, query: string): Promise<UpstreamClaims>;
}

export interface UpstreamOptions {
  readonly callbackUrl: string;
  readonly credentials: CredentialVault;
  readonly outboundFetch: OutboundFetch;
  readonly allowInsecureLoopback: boolean;
  readonly clock: () => number;
}

/** How long a provider's metadata and keys are kept. */
const discoveryLifetimeSeconds = 600;

/** Creates the client for the providers that administrators have registered. */
export function createUpstream(options: UpstreamOptions): Upstream {
  const { callbackUrl, clock } = options;
  const known = new Map<
    string,
    { readonly fingerprint: string; readonly until: number; readonly config: oidc.Configuration }
  >();

  async function configurationOf(provider: IdentityProvider): Promise<oidc.Configuration> {
    const fingerprint = [provider.issuer, provider.clientId, provider.clientSecret.toString("base64")].join(
      " ",
    );
    const entry = known.get(provider.id);
    if (entry !== undefined && entry.fingerprint === fingerprint && entry.until > clock())
      return entry.config;
    const config = await discover(provider, options);
    known.set(provider.id, { fingerprint, until: clock() + discoveryLifetimeSeconds * 1000, config });
    return config;
  }

  return {
    async authorizationUrl(provider, { state, nonce, codeVerifier }, prompt) {
      const config = await configurationOf(provider);
      const supportedPrompt = supported(prompt, config.serverMetadata()["prompt_values_supported"]);
      return oidc.buildAuthorizationUrl(config, {
        redirect_uri: callbackUrl,
        scope: provider.scopes.join(" "),
        state,
        nonce,
        code_challenge: await oidc.calculatePKCECodeChallenge(codeVerifier),
        code_challenge_method: "S256",
        ...(supportedPrompt !== undefined && { prompt: supportedPrompt }),
      });
    },

    async complete(provider, { state, nonce, codeVerifier }, query) {
      const config = await configurationOf(provider);
      try {
        const tokens = await oidc.authorizationCodeGrant(config, new URL(`${callbackUrl}?${query}`), {
          expectedState: state,
          expectedNonce: nonce,
          pkceCodeVerifier: codeVerifier,
          idTokenExpected: true,
        });
        return await completeClaims(config, tokens);
      } catch (error) {
        throw toSignInError(error, provider);
      }
    },
  };
}

/**
 * Every provider knows `login`; many refuse `select_account`, so it is sent to those that say they know it.
 * Both let a person change the account.
 */
function supported(prompt: "login" | "select_account" | undefined, known: unknown): string | undefined {
  const knows = Array.isArray(known) && known.includes("select_account");
  return prompt === "select_account" && !knows ? "login" : prompt;
}

async function discover(provider: IdentityProvider, options: UpstreamOptions): Promise<oidc.Configuration> {
  const { credentials, outboundFetch, allowInsecureLoopback } = options;
  const issuer = new URL(provider.issuer);
  const secret = credentials.open(provider.clientSecret, `identity_providers/${provider.id}`);
  try {
    return await oidc.discovery(issuer, provider.clientId, undefined, clientSecret(secret), {
      [oidc.customFetch]: (url, init) => outboundFetch(url, init as Parameters<OutboundFetch>[1]),
      // The outbound client refuses plain http anywhere but on loopback.
      ...(allowInsecureLoopback && issuer.protocol === "http:" && { execute: [oidc.allowInsecureRequests] }),
    });
  } catch (error) {
    throw toSignInError(error, provider);
  }
}

/** Basic where the provider takes it, which is also the default of the standard; else in the body. */
function clientSecret(secret: string): oidc.ClientAuth {
  const basic = oidc.ClientSecretBasic(secret);
  const post = oidc.ClientSecretPost(secret);
  return (server, ...rest) => {
    const methods = server.token_endpoint_auth_methods_supported;
    const useBasic = methods === undefined || methods.includes("client_secret_basic");
    (useBasic ? basic : post)(server, ...rest);
  };
}

type Tokens = Awaited<ReturnType<typeof oidc.authorizationCodeGrant>>;

/** Many providers give the e-mail address at the userinfo endpoint only. */
async function completeClaims(config: oidc.Configuration, tokens: Tokens): Promise<UpstreamClaims> {
  const claims = tokens.claims();
  if (claims === undefined) throw new TypeError("The provider sent no ID token.");
  const complete = claims["email"] !== undefined && claims["email_verified"] !== undefined;
  if (complete || config.serverMetadata().userinfo_endpoint === undefined) return claims;
  const more = await oidc.fetchUserInfo(config, tokens.access_token, claims.sub);
  return { ...more, ...claims };
}

function toSignInError(error: unknown, { name }: IdentityProvider): SignInError {
  if (error instanceof oidc.AuthorizationResponseError) {
    return new SignInError(
      "provider_refused",
      `${name} did not sign you in. Try again, or choose another account.`,
      {
        cause: error,
      },
    );
  }
  if (isUnreachable(error)) {
    const message = `${name} cannot be reached at the moment. Try again in a minute; if it stays that way, tell an administrator.`;
    return new SignInError("provider_unreachable", message, { cause: error });
  }
  const message = `${name} sent an answer that cannot be trusted. Try again; if it happens again, tell an administrator.`;
  return new SignInError("invalid_response", message, { cause: error });
}

/** An `OutboundError` anywhere in the chain of causes, or a failure of the provider itself. */
function isUnreachable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error.name === "OutboundError") return true;
  const status = error.cause instanceof Response ? error.cause.status : 0;
  return status >= 500 || isUnreachable(error.cause);
}
