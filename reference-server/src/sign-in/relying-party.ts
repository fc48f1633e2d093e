import * as oidc from "openid-client";
import { providerSecretRow } from "../platform/vault/rows.js";
import type { Vault } from "../platform/vault/vault.js";
import type { OutboundFetch } from "../platform/outbound/outbound-fetch.js";
import type { IdentityProvider } from "../store/identity-providers.js";
import { callbackUrlOf } from "./sign-in-link.js";
import {
  askForClaims,
  type Confirmation,
  type ConfirmationRequest,
  describeFailure,
} from "./confirm-person.js";
import { joinClaims, type ProviderClaims, SignInError } from "./identity.js";

/** The secrets that protect one round trip to the provider. */
interface ProviderAttempt {
  readonly state: string;
  readonly nonce: string;
  readonly codeVerifier: string;
}

/** The provider's answer, and whether groups are needed beside the email address. */
export interface ProviderAnswer {
  /** The query as received. */
  readonly query: string;
  readonly wantsGroups: boolean;
}

/** The company's OpenID providers, as this server's client. */
export interface RelyingParty {
  /**
   * The authorization URL at the provider. With `login` the provider authenticates the user anew, and
   * has to report when it did.
   *
   * @throws {SignInError}
   */
  authorizationUrl(
    provider: IdentityProvider,
    attempt: ProviderAttempt,
    prompt: "login" | "select_account" | undefined,
  ): Promise<URL>;
  /** Redeems what the provider sent back with the browser. @throws {SignInError} */
  complete(provider: IdentityProvider, attempt: ProviderAttempt, answer: ProviderAnswer): Promise<SignedIn>;
  /** Asks the provider with a refresh token, once, whether a person is still there. Never throws because of the provider. */
  confirm(provider: IdentityProvider, request: ConfirmationRequest): Promise<Confirmation>;
  /** Revokes a refresh token (RFC 7009). Returns whether the provider has said so; never throws because of the provider. */
  revoke(provider: IdentityProvider, refreshToken: string): Promise<boolean>;
}

/** A person who signed in. */
interface SignedIn {
  readonly claims: ProviderClaims;
  /** `undefined`: the provider gave none. */
  readonly refreshToken: string | undefined;
}

export interface RelyingPartyOptions {
  /** Of this server. */
  readonly issuer: string;
  readonly credentials: Vault;
  readonly outboundFetch: OutboundFetch;
  readonly allowInsecureLoopback: boolean;
  readonly clock: () => number;
  /** How far the clock of this machine, which the library reads, is ahead of `clock`. */
  readonly clockDifferenceSeconds: () => number;
}

/** Lifetime of a provider's cached metadata and keys. */
const discoveryLifetimeSeconds = 600;

/** Creates the client for the providers that administrators have registered. */
export function createRelyingParty(options: RelyingPartyOptions): RelyingParty {
  const { issuer: own, clock } = options;
  const known = new Map<
    string,
    { readonly fingerprint: string; readonly until: number; readonly config: oidc.Configuration }
  >();

  async function configurationOf(provider: IdentityProvider): Promise<oidc.Configuration> {
    const { issuer, discoveryUrl, clientId, tokenEndpointAuthMethod } = provider;
    const secret = provider.clientSecret?.toString("base64");
    const skew = clockSkew(options);
    const fingerprint = JSON.stringify([
      issuer,
      discoveryUrl,
      clientId,
      secret,
      tokenEndpointAuthMethod,
      skew,
    ]);
    const entry = known.get(provider.id);
    if (entry !== undefined && entry.fingerprint === fingerprint && entry.until > clock())
      return entry.config;
    const config = await discover(provider, skew, options);
    known.set(provider.id, { fingerprint, until: clock() + discoveryLifetimeSeconds * 1000, config });
    return config;
  }

  return {
    async authorizationUrl(provider, { state, nonce, codeVerifier }, prompt) {
      const config = await configurationOf(provider);
      const supportedPrompt = supported(prompt, config.serverMetadata()["prompt_values_supported"]);
      const parameters = {
        redirect_uri: callbackUrlOf(own, provider),
        scope: provider.scopes.join(" "),
        state,
        nonce,
        code_challenge: await oidc.calculatePKCECodeChallenge(codeVerifier),
        code_challenge_method: "S256",
        ...(supportedPrompt !== undefined && { prompt: supportedPrompt }),
        ...(provider.presence === "on" && offlineParameters(provider, supportedPrompt)),
        // With max_age an ID token has auth_time (OpenID Connect Core §2), which shows whether the prompt was obeyed.
        ...(prompt === "login" && { max_age: "0" }),
      };
      try {
        return oidc.buildAuthorizationUrl(config, parameters);
      } catch (error) {
        // The metadata names no authorization endpoint, or one that is no HTTPS address.
        throw toSignInError(error);
      }
    },

    async complete(provider, { state, nonce, codeVerifier }, { query, wantsGroups }) {
      const config = await configurationOf(provider);
      try {
        const answer = new URL(`${callbackUrlOf(own, provider)}?${query}`);
        // Refuses a foreign `iss`, and an answer without one from a provider that announces it (RFC 9207).
        const tokens = await oidc.authorizationCodeGrant(config, answer, {
          expectedState: state,
          expectedNonce: nonce,
          pkceCodeVerifier: codeVerifier,
          idTokenExpected: true,
        });
        const claims = await completeClaims(config, tokens, wantsGroups);
        return { claims, refreshToken: tokens.refresh_token };
      } catch (error) {
        throw toSignInError(error);
      }
    },

    async confirm(provider, request) {
      let config: oidc.Configuration;
      try {
        config = await configurationOf(provider);
      } catch (error) {
        if (!(error instanceof SignInError)) throw error;
        // Nothing was sent yet.
        return {
          kind: "failed",
          reason: "provider_unreachable",
          isLost: false,
          detail: describeFailure(error),
        };
      }
      const authentication = await clientAuthentication(provider, options.credentials);
      const skew = clockSkew(options);
      const configure = (fetch: OutboundFetch) => reconfigure(config, { authentication, fetch, skew });
      return await askForClaims(configure, request, options.outboundFetch);
    },

    async revoke(provider, refreshToken) {
      try {
        const config = await configurationOf(provider);
        if (config.serverMetadata().revocation_endpoint === undefined) return false;
        await oidc.tokenRevocation(config, refreshToken, { token_type_hint: "refresh_token" });
        return true;
      } catch {
        // Best effort: the token is forgotten here in any case.
        return false;
      }
    },
  };
}

const googleHost = "accounts.google.com";

/**
 * What makes a provider give a refresh token: the scope `offline_access` (OpenID Connect Core §11), or Google's own parameters. Google
 * gives one only when it asks for consent; the others need none, and many companies forbid people to consent.
 *
 * @see {@link https://developers.google.com/identity/protocols/oauth2/web-server#offline}
 */
function offlineParameters({ issuer, scopes }: IdentityProvider, prompt: string | undefined): object {
  if (new URL(issuer).hostname !== googleHost)
    return { scope: [...new Set([...scopes, "offline_access"])].join(" ") };
  const prompts = prompt === "select_account" ? "consent select_account" : "consent";
  return { access_type: "offline", prompt: prompts };
}

/**
 * Every provider supports `login`; many refuse `select_account`, so only those that announce it get it. Both let a user change the
 * account.
 */
function supported(prompt: "login" | "select_account" | undefined, known: unknown): string | undefined {
  const knows = Array.isArray(known) && known.includes("select_account");
  return prompt === "select_account" && !knows ? "login" : prompt;
}

/**
 * The library's clock skew in seconds, so that an ID token is judged by the time of the database, like everything else. In steps below
 * the tolerance of the library, because each value takes a new configuration.
 */
function clockSkew({ clockDifferenceSeconds }: RelyingPartyOptions): number {
  return -10 * Math.round(clockDifferenceSeconds() / 10);
}

async function discover(
  provider: IdentityProvider,
  skew: number,
  options: RelyingPartyOptions,
): Promise<oidc.Configuration> {
  const { credentials, outboundFetch, allowInsecureLoopback } = options;
  const address = new URL(provider.discoveryUrl ?? provider.issuer);
  const authentication = await clientAuthentication(provider, credentials);
  try {
    const config = await oidc.discovery(
      address,
      provider.clientId,
      { [oidc.clockSkew]: skew },
      authentication,
      {
        [oidc.customFetch]: (url, init) => outboundFetch(url, init as Parameters<OutboundFetch>[1]),
        // The outbound client refuses plain http anywhere but on loopback.
        execute: [
          // The ID token's signature, although the standard is content with TLS: keys that do not fit are found at once.
          oidc.enableNonRepudiationChecks,
          ...(allowInsecureLoopback && address.protocol === "http:" ? [oidc.allowInsecureRequests] : []),
        ],
      },
    );
    // The library does not compare the issuer of metadata at a given address.
    if (provider.discoveryUrl !== null) requireIssuer(config, provider);
    return config;
  } catch (error) {
    throw toSignInError(error);
  }
}

/** The same provider with another fetch, and without the keys that are known. */
function reconfigure(
  known: oidc.Configuration,
  {
    authentication,
    fetch,
    skew,
  }: { readonly authentication: oidc.ClientAuth; readonly fetch: OutboundFetch; readonly skew: number },
): oidc.Configuration {
  // A copy without the method that the library adds.
  const server = { ...known.serverMetadata(), supportsPKCE: undefined };
  const { client_id: clientId, ...client } = known.clientMetadata();
  const config = new oidc.Configuration(
    server,
    clientId,
    { ...client, [oidc.clockSkew]: skew },
    authentication,
  );
  config[oidc.customFetch] = (url, init) => fetch(url, init as Parameters<OutboundFetch>[1]);
  oidc.enableNonRepudiationChecks(config);
  // The outbound client refuses plain http anywhere but on loopback.
  if (new URL(server.issuer).protocol === "http:") oidc.allowInsecureRequests(config);
  return config;
}

function requireIssuer(config: oidc.Configuration, { issuer: wanted }: IdentityProvider): void {
  const { issuer } = config.serverMetadata();
  if (new URL(issuer).href === new URL(wanted).href) return;
  throw new TypeError(
    `The metadata belongs to the issuer ${issuer}, but the provider is registered as ${wanted}.`,
  );
}

async function clientAuthentication(
  provider: IdentityProvider,
  credentials: Vault,
): Promise<oidc.ClientAuth> {
  const { clientSecret: sealed, tokenEndpointAuthMethod: method } = provider;
  if (sealed === null) return oidc.None();
  const secret = await credentials.open(sealed, providerSecretRow(provider.id));
  if (method === "client_secret_basic") return oidc.ClientSecretBasic(secret);
  if (method === "client_secret_post") return oidc.ClientSecretPost(secret);
  return clientSecret(secret);
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

/** Many providers give the email address, or the groups, at the userinfo endpoint only. */
async function completeClaims(
  config: oidc.Configuration,
  tokens: Tokens,
  wantsGroups: boolean,
): Promise<ProviderClaims> {
  const claims = tokens.claims();
  if (claims === undefined) throw new TypeError("The provider sent no ID token.");
  const wanted = ["email", "email_verified", ...(wantsGroups ? ["groups"] : [])];
  const complete = wanted.every((name) => claims[name] !== undefined);
  if (complete || config.serverMetadata().userinfo_endpoint === undefined)
    return joinClaims(claims, undefined);
  // Refused when it is about another account (OpenID Connect Core §5.3.2).
  return joinClaims(claims, await oidc.fetchUserInfo(config, tokens.access_token, claims.sub));
}

function toSignInError(cause: unknown): SignInError {
  if (cause instanceof oidc.AuthorizationResponseError) return new SignInError("provider_refused", { cause });
  return new SignInError(isUnreachable(cause) ? "provider_unreachable" : "invalid_response", { cause });
}

/** An `OutboundError` anywhere in the chain of causes, or a failure of the provider itself. */
function isUnreachable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error.name === "OutboundError") return true;
  const status = error.cause instanceof Response ? error.cause.status : 0;
  return status >= 500 || isUnreachable(error.cause);
}
