import * as oauth from "oauth4webapi";
import type { OutboundFetch, OutboundRequest } from "../../platform/outbound/outbound-fetch.js";
import type { Connector } from "../../store/connectors.js";
import { connectorRow } from "../../platform/vault/rows.js";
import type { Vault } from "../../platform/vault/vault.js";
import { askProvider, type ProviderAnswer } from "./provider-request.js";

export interface ProviderOptions {
  /** Of this server. */
  readonly issuer: string;
  readonly vault: Pick<Vault, "open">;
  readonly outboundFetch: OutboundFetch;
  readonly allowInsecureLoopback: boolean;
  /** How long one answer may take. */
  readonly timeoutSeconds: number;
  /** By how much the clock of this machine, which the library reads, is ahead of the database's. */
  readonly clockDifferenceSeconds: () => number;
}

/** A connector as the client library knows it. */
export interface ProviderClient {
  readonly server: oauth.AuthorizationServer;
  readonly client: oauth.Client;
  readonly authentication: oauth.ClientAuth;
  readonly clientSecret: string | undefined;
}

/** What ID tokens may be signed with. They come straight from the token endpoint, so TLS vouches for them. */
const signingAlgorithms = [
  "RS256",
  "RS384",
  "RS512",
  "PS256",
  "PS384",
  "PS512",
  "ES256",
  "ES384",
  "ES512",
  "EdDSA",
];

/** @throws {VaultError} The client secret does not open. */
export async function loadClient(
  connector: Connector,
  { vault, clockDifferenceSeconds }: Pick<ProviderOptions, "vault" | "clockDifferenceSeconds">,
): Promise<ProviderClient> {
  const { issuer, authorizationEndpoint, tokenEndpoint, revocationEndpoint, clientId } = connector;
  const sealed = connector.clientSecret;
  const clientSecret = sealed === null ? undefined : await vault.open(sealed, connectorRow(connector.id));
  return {
    server: {
      // Where no issuer is known nothing is compared with it.
      issuer: issuer ?? new URL(tokenEndpoint).origin,
      authorization_endpoint: authorizationEndpoint,
      token_endpoint: tokenEndpoint,
      ...(revocationEndpoint !== null && { revocation_endpoint: revocationEndpoint }),
      id_token_signing_alg_values_supported: signingAlgorithms,
    },
    client: { client_id: clientId, [oauth.clockSkew]: -Math.round(clockDifferenceSeconds()) },
    authentication: authenticate(connector, clientSecret),
    clientSecret,
  };
}

function authenticate({ tokenEndpointAuthMethod }: Connector, secret: string | undefined): oauth.ClientAuth {
  if (secret === undefined || tokenEndpointAuthMethod === "none") return oauth.None();
  return tokenEndpointAuthMethod === "client_secret_basic"
    ? oauth.ClientSecretBasic(secret)
    : oauth.ClientSecretPost(secret);
}

/** Lets the library write a request, and sends it with the guarded client. */
export async function askWith(
  { outboundFetch, allowInsecureLoopback, timeoutSeconds }: ProviderOptions,
  write: (options: {
    readonly [oauth.customFetch]: (url: string, request: WrittenRequest) => Promise<Response>;
    readonly [oauth.allowInsecureRequests]: boolean;
  }) => Promise<unknown>,
): Promise<ProviderAnswer> {
  let answer: ProviderAnswer | undefined;
  await write({
    [oauth.customFetch]: async (url, { method, headers, body }) => {
      const request = { method, headers, body, timeoutSeconds } as OutboundRequest;
      answer = await askProvider(outboundFetch, url, request);
      return new Response(null, { status: 204 });
    },
    // The guarded client refuses plain http anywhere but on loopback.
    [oauth.allowInsecureRequests]: allowInsecureLoopback,
  });
  if (answer === undefined) throw new TypeError("The library sent nothing.");
  return answer;
}

interface WrittenRequest {
  readonly method: string;
  readonly headers: Record<string, string>;
  readonly body?: unknown;
}
