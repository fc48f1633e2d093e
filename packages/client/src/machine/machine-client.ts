import type { PrivateJwk } from "@authz/dpop";
import type { ClientCache } from "../cache/client-cache.js";
import { memoryCache } from "../cache/memory-cache.js";
import type { Clock } from "../clock.js";
import { parseIssuer } from "../discovery.js";
import { AuthzClientError } from "../errors.js";
import type { AuthzClientEventListener } from "../events.js";
import { type AuthorizedFetch, authorizedFetchOver } from "../request/authorized-fetch.js";
import type { AuthorizedRequest } from "../request/authorized-request.js";
import { findRegisteredResource } from "../request/registered-resource.js";
import { parseMethod, parseScopes } from "../request/request-parts.js";
import { parseRequestAddress } from "../request/request-address.js";
import { parseRequestHeaders } from "../request/request-headers.js";
import { sendAuthorized } from "../request/send-authorized.js";
import { NonceBook } from "../tokens/nonce-book.js";
import { fetchTransport } from "../transport/fetch-transport.js";
import { nodeTransport } from "../transport/node-transport.js";
import type { Transport, TransportAnswer } from "../transport/transport.js";
import { type MachineContext, MachineTokens } from "./machine-tokens.js";

/** The key a machine client signs its client assertions with. */
export interface MachineSigningKey {
  /** As registered; the server tries all keys of the client without one. */
  kid?: string;
  /** ES256 private key whose public half is registered. */
  privateJwk: PrivateJwk;
}

/** A service that a machine calls. */
export interface MachineResource {
  /** The resource identifier, as registered. */
  resource: string;
  /** Absolute addresses that credentials may go to; the resource identifier unless given. */
  requestPrefixes?: readonly string[];
}

/** Options of {@link createMachineClient}. */
export interface MachineClientOptions {
  /** Address of the authorization server: https, or http on this computer. */
  issuer: string;
  /** The machine's id at the authorization server. */
  clientId: string;
  signingKey: MachineSigningKey;
  /** The services it calls; credentials go nowhere else. */
  resources: readonly MachineResource[];
  /** Where metadata is kept while it is fresh; in memory unless given. */
  cache?: ClientCache;
  /** Sends the requests; `node:http` and `node:https` unless given. */
  transport?: Transport;
  /** Sends the requests through a `fetch` function instead. */
  fetch?: typeof globalThis.fetch;
  clock?: Clock;
  /** Is told what happens behind a call. */
  onEvent?: AuthzClientEventListener;
}

/** What registered services can be asked for by a program that acts for itself. */
export interface MachineClient {
  readonly issuer: string;
  readonly clientId: string;
  /**
   * Calls a service like `fetch`, as that of {@link AuthzClient} does. Without `scopes` the token has every permission the machine has
   * there.
   *
   * @throws {AuthzClientError} `url_not_registered` before anything is sent; `scope_not_granted`, `refused`, …
   */
  authorizedFetch: AuthorizedFetch;
  /** The same without the Fetch classes: the answer's body is a stream of bytes. */
  authorizedRequest(request: AuthorizedRequest): Promise<TransportAnswer>;
}

/**
 * Creates a client for a machine: `client_credentials` with `private_key_jwt`, and tokens bound to a key that lives as long as the
 * process (RFC 7523, RFC 9449). Nothing is stored.
 *
 * @throws {AuthzClientError} `invalid_request` when the issuer is not an https address (or http on this computer).
 * @throws {JwsError} The signing key is not a P-256 private key.
 */
export function createMachineClient(options: MachineClientOptions): MachineClient {
  const context = createContext(options);
  const tokens = new MachineTokens(context, options.signingKey);
  const services = options.resources.map(({ resource, requestPrefixes = [resource] }) => ({
    key: resource,
    requestPrefixes,
  }));

  async function send(request: AuthorizedRequest): Promise<TransportAnswer> {
    const headers = parseRequestHeaders(request.headers);
    const method = parseMethod(request.method);
    const url = parseRequestAddress(request.url);
    const match = findRegisteredResource(url, services);
    if (match === undefined) throw notListed(url);
    const needed = { resource: match.resource.key, scopes: parseScopes(request.scopes ?? []) };
    const { token, signer } = await tokens.get(needed);
    return await sendAuthorized(context, request, {
      method,
      url: url.href,
      headers,
      signer,
      accessToken: token,
      renewToken: async () => (await tokens.get(needed, token)).token,
    });
  }

  return {
    issuer: context.issuer,
    clientId: context.clientId,
    authorizedRequest: send,
    authorizedFetch: authorizedFetchOver(send),
  };
}

function createContext(options: MachineClientOptions): MachineContext {
  const { clientId, clock = Date.now, cache = memoryCache(clock) } = options;
  return {
    issuer: parseIssuer(options.issuer),
    clientId,
    cache,
    transport:
      options.transport ?? (options.fetch === undefined ? nodeTransport() : fetchTransport(options.fetch)),
    nonces: new NonceBook(),
    clock,
    onEvent: options.onEvent ?? (() => undefined),
  };
}

function notListed(url: URL): AuthzClientError {
  return new AuthzClientError("url_not_registered", {
    what: `${url.origin}${url.pathname} does not belong to a service of this machine client.`,
    why: "None of its resources covers it, and credentials go nowhere else. Nothing was sent.",
    hint: "Check the address, or add the service to the resources of the client.",
  });
}
