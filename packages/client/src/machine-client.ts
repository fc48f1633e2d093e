import { AuthzClientError } from "./errors.js";
import { type AuthorizedFetch, authorizedFetchOver } from "./request/authorized-fetch.js";
import { findRegisteredResource } from "./request/registered-resource.js";
import { type AuthorizedRequest, parseRequestParts, parseScopes } from "./request/request-parts.js";
import { sendToService } from "./request/send-to-service.js";
import { createServerContext, type ServerOptions } from "./server-options.js";
import { type MachineSigningKey, MachineTokens } from "./tokens/machine-tokens.js";
import type { TransportAnswer } from "./transport/transport.js";

/** A service that a machine calls. */
export interface MachineResource {
  /** The resource identifier, as registered. */
  resource: string;
  /** Absolute addresses that credentials may go to; the resource identifier unless given. */
  requestPrefixes?: readonly string[];
}

/** Options of {@link createMachineClient}. */
export interface MachineClientOptions extends ServerOptions {
  /** The machine's id at the authorization server. */
  clientId: string;
  signingKey: MachineSigningKey;
  /** The services it calls; credentials go nowhere else. */
  resources: readonly MachineResource[];
}

/** Requests to registered services by a program that acts for itself. */
export interface MachineClient {
  readonly issuer: string;
  readonly clientId: string;
  /**
   * Calls a service like `fetch`, as {@link AuthzClient} does. Without `scopes` the token has every permission the machine has there.
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
 * @throws {TypeError} An option is missing or of the wrong type; the message names it and says what to write.
 * @throws {JwsError} The signing key is not a P-256 private key.
 */
export function createMachineClient(options: MachineClientOptions): MachineClient {
  requireOptions(options);
  const context = createServerContext(options);
  const tokens = new MachineTokens(context, options.signingKey);
  const services = options.resources.map(({ resource, requestPrefixes = [resource] }) => ({
    key: resource,
    requestPrefixes,
  }));

  async function send(request: AuthorizedRequest): Promise<TransportAnswer> {
    const { method, url, headers } = parseRequestParts(request);
    const match = findRegisteredResource(url, services);
    if (match === undefined) throw notListed(url);
    const needed = { resource: match.resource.key, scopes: parseScopes(request.scopes ?? []) };
    const { token, signer } = await tokens.get(needed);
    return await sendToService(context, request, {
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

/** Checks for JavaScript callers what TypeScript checks for others. */
function requireOptions(options: Partial<MachineClientOptions> | undefined): void {
  const { clientId, signingKey, resources } = options ?? {};
  if (typeof clientId !== "string" || clientId === "") {
    throw missingOption("clientId", "the machine's id at the authorization server", 'clientId: "report-job"');
  }
  const key: unknown = (signingKey as Partial<MachineSigningKey> | undefined)?.privateJwk;
  if (typeof key !== "object" || key === null) {
    throw missingOption(
      "signingKey",
      "the ES256 private key whose public half is registered",
      "signingKey: { kid, privateJwk }, loaded from a secret",
    );
  }
  if (!Array.isArray(resources) || resources.length === 0) {
    throw missingOption(
      "resources",
      "the services that it calls",
      'resources: [{ resource: "https://contracts.example.com/api" }]',
    );
  }
}

function missingOption(name: string, meaning: string, example: string): TypeError {
  return new TypeError(`createMachineClient needs ${name}: ${meaning}. Write ${example}.`);
}

function notListed(url: URL): AuthzClientError {
  return new AuthzClientError("url_not_registered", {
    what: `${url.origin}${url.pathname} does not belong to a service of this machine client.`,
    why: "None of its resources covers it, and credentials go nowhere else. Nothing was sent.",
  });
}
