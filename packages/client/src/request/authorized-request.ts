import type { ClientContext } from "../client-context.js";
import type { Connection } from "../connections/connection.js";
import { AuthzClientError } from "../errors.js";
import type { Resource } from "../me/answers.js";
import type { MeApi } from "../me/me-api.js";
import type { SessionKeeper } from "../session/session-keeper.js";
import { type ServiceTokenRequest, type ServiceTokens, scopeNotGranted } from "../tokens/service-tokens.js";
import type { RequestBody, TransportAnswer } from "../transport/transport.js";
import { coveringPrefix, findRegisteredResource, type ResourceMatch } from "./registered-resource.js";
import { parseRequestAddress } from "./request-address.js";
import { type HeaderInput, parseRequestHeaders } from "./request-headers.js";
import { parseMethod, parseScopes } from "./request-parts.js";
import { sendAuthorized } from "./send-authorized.js";

/** A request to a registered service. */
export interface AuthorizedRequest {
  url: string;
  /** `GET` unless given. */
  method?: string;
  headers?: HeaderInput;
  /** Text, bytes and a function that opens a stream can be sent again when a retry is needed; a stream is sent once. */
  body?: RequestBody;
  /** Bytes of a body that is a stream, when they are known. */
  bodyLength?: number;
  /** Permissions the request needs. May be left out when the person has exactly one for the service. */
  scopes?: readonly string[];
  signal?: AbortSignal;
  /** Seconds without any progress, sending or receiving, after which the request is given up; 30 unless given. */
  timeoutSeconds?: number;
  /**
   * Covers the token and the proof with stars where the service repeats them, in headers and body: for whoever shows answers to others,
   * such as an agent. Other encodings of them (base64, a compressed body) are not found.
   */
  hideCredentials?: boolean;
}

/** What would happen with a request: which service, which rule, which permissions. */
export interface RequestPlan {
  method: string;
  url: string;
  resource: Resource;
  /** The registered prefix that covers the address. */
  prefix: string;
  scopes: readonly string[];
  /** Scopes among them that the person does not have. */
  missingScopes: readonly string[];
}

/** Sends requests to registered services with the permissions of the person who signed in. */
export class AuthorizedRequests {
  readonly #context: ClientContext;
  readonly #keeper: SessionKeeper;
  readonly #meApi: MeApi;
  readonly #tokens: ServiceTokens;
  readonly #connections: () => Promise<readonly Connection[]>;

  constructor(parts: {
    context: ClientContext;
    keeper: SessionKeeper;
    meApi: MeApi;
    tokens: ServiceTokens;
    connections: () => Promise<readonly Connection[]>;
  }) {
    this.#context = parts.context;
    this.#keeper = parts.keeper;
    this.#meApi = parts.meApi;
    this.#tokens = parts.tokens;
    this.#connections = parts.connections;
  }

  /** Decides everything about a request without sending it or asking for a token for the service. */
  async plan(request: AuthorizedRequest): Promise<RequestPlan> {
    const method = parseMethod(request.method);
    parseRequestHeaders(request.headers);
    const url = parseRequestAddress(request.url);
    const { resource, prefix } = await this.#match(url);
    const scopes = chooseScopes(resource, request.scopes);
    if (scopes.length === 0)
      throw await this.#notGranted({ resource, scopes: resource.supportedScopes }, url.href);
    const possible = new Set([...resource.grantedScopes, ...resource.undecidedScopes]);
    const missingScopes = scopes.filter((scope) => !possible.has(scope));
    return { method, url: url.href, resource, prefix, scopes, missingScopes };
  }

  /** The service whose prefix covers an address. @throws {AuthzClientError} `url_not_registered`, `invalid_request` */
  async resourceFor(address: string): Promise<Resource> {
    return (await this.#match(parseRequestAddress(address))).resource;
  }

  async send(request: AuthorizedRequest): Promise<TransportAnswer> {
    const headers = parseRequestHeaders(request.headers);
    const { method, url, resource, scopes } = await this.plan(request);
    const needed = { resource, scopes };
    const accessToken = await this.#token(needed, url);
    const session = await this.#keeper.load();
    return await sendAuthorized(this.#context, request, {
      method,
      url,
      headers,
      signer: this.#keeper.signerOf(session),
      accessToken,
      renewToken: async () => await this.#tokens.get(needed, accessToken),
    });
  }

  /** A denial is explained with the permissions of this moment, not with those of the kept list. */
  async #token(needed: ServiceTokenRequest, url: string): Promise<string> {
    try {
      return await this.#tokens.get(needed);
    } catch (error) {
      if (!(error instanceof AuthzClientError) || error.code !== "scope_not_granted") throw error;
      const now = (await this.#meApi.resources()).find(({ key }) => key === needed.resource.key);
      const missing = needed.scopes.filter((scope) => now?.grantedScopes.includes(scope) !== true);
      const scopes = missing.length === 0 ? error.missingScopes : missing;
      throw await this.#notGranted({ resource: now ?? needed.resource, scopes }, url, error);
    }
  }

  async #notGranted(
    { resource, scopes }: ServiceTokenRequest,
    url: string,
    cause?: unknown,
  ): Promise<AuthzClientError> {
    // The name only helps; a refusal without it is better than none.
    const me = await this.#meApi.me().catch(() => undefined);
    return scopeNotGranted(resource, scopes, {
      refusal: { url, installation: me?.installation.name },
      cause,
    });
  }

  /** The kept list first; a service registered a moment ago is found by asking once more. */
  async #match(url: URL): Promise<ResourceMatch<Resource>> {
    const kept = await this.#meApi.keptResources();
    const match = kept === undefined ? undefined : findRegisteredResource(url, kept);
    const found = match ?? findRegisteredResource(url, await this.#meApi.resources());
    if (found !== undefined) return found;
    throw await this.#notRegistered(url);
  }

  /** The list of connections only helps: the address may belong to a third party that can be called with an account there. */
  async #notRegistered(url: URL): Promise<AuthzClientError> {
    const connections = await this.#connections().catch(() => []);
    const connection = connections.find(
      ({ requestPrefixes }) => coveringPrefix(url, requestPrefixes) !== undefined,
    );
    return new AuthzClientError("url_not_registered", {
      what: `${url.origin}${url.pathname} does not belong to a service you can use.`,
      why: "No registered request prefix covers it, and credentials go nowhere else. Nothing was sent.",
      ...(connection === undefined
        ? {
            hint: "Check the address. An administrator can register the service, or give you a permission for it.",
          }
        : {
            hint: `It is called with your account at ${connection.name}. Add this`,
            next: { do: "add_connection", connection: connection.connector },
            connection: connection.connector,
          }),
    });
  }
}

/** None when the person has none there. */
function chooseScopes(resource: Resource, asked: readonly string[] | undefined): readonly string[] {
  if (asked !== undefined && asked.length > 0) return parseScopes(asked);
  const [only, ...others] = [...resource.grantedScopes, ...resource.undecidedScopes];
  if (only !== undefined && others.length === 0) return [only];
  if (only === undefined) return [];
  throw new AuthzClientError("scope_required", {
    what: `Say which permission this request to ${resource.name} needs.`,
    why: `You have more than one there: ${[only, ...others].join(", ")}.`,
    hint: "Add the one it needs",
    next: { do: "add_scope", scopes: [only] },
  });
}
