import * as oauth from "oauth4webapi";
import type { Connector } from "../../store/connectors.js";
import { coveredScopes, kinds } from "../kinds/kinds.js";
import { checkIdToken, findAccount, isAlive, type KnownAccount } from "./account.js";
import { callbackUrlOf } from "./callback-url.js";
import { askWith, loadClient, type ProviderClient, type ProviderOptions } from "./client.js";
import { errorCode, ProviderError } from "./provider-error.js";
import { endTokens, type EndingTokens, type Revocation } from "./revocation.js";
import { type CredentialTest, testCredentials } from "./test-credentials.js";
import { type ProviderTokens, readTokens } from "./tokens.js";

/** What protects one authorization at the third party. */
interface ProviderAttempt {
  readonly state: string;
  readonly nonce: string;
  readonly codeVerifier: string;
  /** What is asked for. */
  readonly scopes: readonly string[];
}

/** Tokens, and which of the wanted scopes they have. */
export interface Grant {
  readonly tokens: ProviderTokens;
  /** In the spelling in which they were asked for. */
  readonly scopes: readonly string[];
}

/** This server as an OAuth client of third parties. Methods throw `ProviderError` or `VaultError`. */
export interface Provider {
  /** The address that the browser goes to. */
  authorizationUrl(connector: Connector, attempt: ProviderAttempt): Promise<URL>;
  /**
   * Redeems what the browser brought back.
   *
   * @param query - as received
   */
  redeem(
    connector: Connector,
    attempt: ProviderAttempt,
    query: string,
  ): Promise<Grant & { readonly claims: Claims }>;
  findAccount(connector: Connector, grant: Grant & { readonly claims: Claims }): Promise<KnownAccount>;
  /** Asks for new tokens, once. `scopes` are those that the connection has. */
  refresh(
    connector: Connector,
    held: { readonly refreshToken: string; readonly scopes: readonly string[] },
  ): Promise<Grant>;
  /** Revokes tokens. Never throws for what the third party does. */
  revoke(connector: Connector, tokens: EndingTokens): Promise<Revocation>;
  /** Whether an access token still works; without an account endpoint it counts as refused. */
  isAlive(connector: Connector, accessToken: string): Promise<boolean>;
  /** Tests client id and secret, without an account. */
  testCredentials(connector: Connector): Promise<CredentialTest>;
  /** How long one answer may take. */
  readonly timeoutSeconds: number;
}

/** Long enough not to lose an answer that rotates a refresh token, short enough for a waiting person. */
export const providerTimeoutSeconds = 10;

type Claims = Readonly<Record<string, unknown>> | undefined;

/** Creates the client for the third parties that administrators have defined. */
export function createProvider(options: ProviderOptions): Provider {
  const { issuer: own, timeoutSeconds } = options;
  return {
    timeoutSeconds,

    async authorizationUrl(connector, { state, nonce, codeVerifier, scopes }) {
      const { name, separator } = kinds[connector.kind].quirks.scopeParameter ?? {
        name: "scope",
        separator: " ",
      };
      const url = new URL(connector.authorizationEndpoint);
      const parameters = {
        ...connector.authorizationParameters,
        response_type: "code",
        client_id: connector.clientId,
        redirect_uri: callbackUrlOf(own, connector.key),
        state,
        code_challenge: await oauth.calculatePKCECodeChallenge(codeVerifier),
        code_challenge_method: "S256",
        ...(scopes.length > 0 && { [name]: scopes.join(separator) }),
        ...(wantsIdToken(connector, scopes) && { nonce }),
      };
      for (const [parameter, value] of Object.entries(parameters)) url.searchParams.set(parameter, value);
      return url;
    },

    async redeem(connector, { state, nonce, codeVerifier, scopes }, query) {
      const known = await loadClient(connector, options);
      const returned = readReturn(connector, query);
      const parameters = checkReturn(known, returned, state);
      const answer = await askWith(options, (written) =>
        oauth.authorizationCodeGrantRequest(
          known.server,
          known.client,
          known.authentication,
          parameters,
          callbackUrlOf(own, connector.key),
          codeVerifier,
          written,
        ),
      );
      const tokens = readTokens(answer, kinds[connector.kind].quirks);
      const claims = wantsIdToken(connector, scopes)
        ? await checkOrEnd(connector, tokens, { known, nonce, options })
        : undefined;
      return {
        tokens,
        claims,
        scopes: covered(connector, tokens, { scopes, idToken: claims !== undefined }),
      };
    },

    findAccount: (connector, { tokens, claims }) => findAccount(connector, tokens, { claims, options }),

    isAlive: (connector, accessToken) => isAlive(connector, accessToken, options),

    testCredentials: (connector) => testCredentials(connector, options),

    async refresh(connector, { refreshToken, scopes }) {
      const { server, client, authentication } = await loadClient(connector, options);
      const answer = await askWith(options, (written) =>
        oauth.refreshTokenGrantRequest(server, client, authentication, refreshToken, written),
      );
      const tokens = readTokens(answer, kinds[connector.kind].quirks);
      // The old refresh token stays where no new one comes, and who the account is was settled when it was connected.
      const evidence = { ...tokens, refreshToken: tokens.refreshToken ?? refreshToken };
      return { tokens, scopes: covered(connector, evidence, { scopes, idToken: true }) };
    },

    async revoke(connector, tokens) {
      if (connector.revocationEndpoint === null) return "unsupported";
      const known = await loadClient(connector, options);
      return await endTokens(connector, tokens, { known, options });
    },
  };
}

/** Revokes tokens whose ID token is invalid. */
async function checkOrEnd(
  connector: Connector,
  tokens: ProviderTokens,
  context: { readonly known: ProviderClient; readonly nonce: string; readonly options: ProviderOptions },
): Promise<Claims> {
  try {
    return await checkIdToken(context.known, tokens, context.nonce);
  } catch (error) {
    await endTokens(connector, tokens, context);
    throw error;
  }
}

function wantsIdToken({ issuer }: Connector, scopes: readonly string[]): boolean {
  return issuer !== null && scopes.includes("openid");
}

function covered(
  { kind }: Connector,
  tokens: ProviderTokens,
  { scopes, idToken }: { readonly scopes: readonly string[]; readonly idToken: boolean },
): readonly string[] {
  const evidence = { refreshToken: tokens.refreshToken !== undefined, idToken };
  return coveredScopes(scopes, tokens.scopes, { quirks: kinds[kind].quirks, evidence });
}

/**
 * Reads the query with which the browser came back, and refuses what another issuer sent (RFC 9207 §2.4).
 *
 * @throws {ProviderError} `issuer_mismatch`, `invalid_answer`
 */
function readReturn({ issuer }: Connector, query: string): URLSearchParams {
  const returned = new URLSearchParams(query);
  const issuers = returned.getAll("iss");
  if (issuer !== null && issuers.some((named) => named !== issuer)) {
    throw new ProviderError("issuer_mismatch");
  }
  // RFC 6749 §3.1: each parameter once.
  if (new Set(returned.keys()).size !== returned.size) {
    throw new ProviderError("invalid_answer", { detail: "repeated parameter" });
  }
  // Without a known issuer there is nothing to compare.
  if (issuer === null) returned.delete("iss");
  return returned;
}

/** @throws {ProviderError} `denied`, `refused`, `invalid_answer` */
function checkReturn(
  { server, client }: { readonly server: oauth.AuthorizationServer; readonly client: oauth.Client },
  returned: URLSearchParams,
  state: string,
): URLSearchParams {
  try {
    const parameters = oauth.validateAuthResponse(server, client, returned, state);
    if ((parameters.get("code") ?? "") === "")
      throw new ProviderError("invalid_answer", { detail: "no code" });
    return parameters;
  } catch (error) {
    if (error instanceof ProviderError) throw error;
    if (error instanceof oauth.AuthorizationResponseError) {
      const code = errorCode(error.error) ?? "error";
      throw new ProviderError(code === "access_denied" ? "denied" : "refused", { detail: code });
    }
    throw new ProviderError("invalid_answer", { detail: "the way back" });
  }
}
