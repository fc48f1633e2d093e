import type { MeApi, Resource } from "../api/me-api.js";
import { AuthzClientError } from "../errors.js";
import type { ClientContext } from "../session/client-context.js";
import type { Session } from "../session/session.js";
import type { SessionKeeper } from "../session/session-keeper.js";
import type { TransportAnswer } from "../transport/transport.js";
import { findRegisteredResource, type ResourceMatch } from "./registered-resource.js";
import { parseRequestAddress } from "./request-address.js";
import {
  type AuthorizedRequest,
  parseRequestParts,
  parseScopes,
  type RequestParts,
} from "./request-parts.js";
import { sendToService } from "./send-to-service.js";
import { type ServiceTokenRequest, ServiceTokens, scopeNotGranted } from "./service-tokens.js";

/** What would happen with a request: the service, the rule and the permissions. */
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

/** A service that will be called, by its key, and the permissions that the calls need. */
export interface ServiceNeed {
  resource: string;
  scopes: readonly string[];
}

/** The connection that covers an address, if there is one. */
export type FindConnection = (url: URL) => Promise<{ connector: string; name: string } | undefined>;

/** Sends requests to registered services with the permissions of the person who signed in. */
export class ServiceRequests {
  readonly #context: ClientContext;
  readonly #keeper: SessionKeeper;
  readonly #meApi: MeApi;
  readonly #tokens: ServiceTokens;
  readonly #findConnection: FindConnection;

  constructor(parts: {
    context: ClientContext;
    keeper: SessionKeeper;
    meApi: MeApi;
    findConnection: FindConnection;
  }) {
    this.#context = parts.context;
    this.#keeper = parts.keeper;
    this.#meApi = parts.meApi;
    this.#tokens = new ServiceTokens(parts.context, parts.keeper);
    this.#findConnection = parts.findConnection;
  }

  /** Decides everything about a request without sending it or asking for a token for the service. */
  async plan(request: AuthorizedRequest): Promise<RequestPlan> {
    const parts = parseRequestParts(request);
    return await this.#plan(parts, request.scopes, await this.#keeper.load());
  }

  /** The service whose prefix covers an address. @throws {AuthzClientError} `url_not_registered`, `invalid_request` */
  async resourceFor(address: string): Promise<Resource> {
    const url = parseRequestAddress(address);
    return (await this.#match(url, await this.#keeper.load())).resource;
  }

  async send(request: AuthorizedRequest): Promise<TransportAnswer> {
    const parts = parseRequestParts(request);
    const session = await this.#keeper.load();
    const { method, url, resource, scopes } = await this.#plan(parts, request.scopes, session);
    const needed = { resource, scopes };
    const accessToken = await this.#token(session, needed, url);
    return await sendToService(this.#context, request, {
      method,
      url,
      headers: parts.headers,
      signer: this.#keeper.signerOf(session),
      accessToken,
      renewToken: async () => await this.#tokens.get(session, needed, accessToken),
    });
  }

  async prepare(needs: readonly ServiceNeed[]): Promise<void> {
    const session = await this.#keeper.load();
    const resources = (await this.#meApi.keptResources(session)) ?? (await this.#meApi.resources(session));
    const possible = needs.flatMap(({ resource: key, scopes }) => {
      const resource = resources.find((one) => one.key === key);
      const isHeld = scopes.length > 0 && scopes.every((scope) => resource?.grantedScopes.includes(scope));
      return resource !== undefined && isHeld ? [{ resource, scopes }] : [];
    });
    await Promise.allSettled(possible.map(async (needed) => await this.#tokens.get(session, needed)));
  }

  async #plan(
    { method, url }: RequestParts,
    asked: readonly string[] | undefined,
    session: Session,
  ): Promise<RequestPlan> {
    const { resource, prefix } = await this.#match(url, session);
    const scopes = chooseScopes(resource, asked);
    if (scopes.length === 0)
      throw await this.#notGranted({ resource, scopes: resource.supportedScopes }, url.href);
    const possible = new Set([...resource.grantedScopes, ...resource.undecidedScopes]);
    const missingScopes = scopes.filter((scope) => !possible.has(scope));
    return { method, url: url.href, resource, prefix, scopes, missingScopes };
  }

  /** A denial is explained with the permissions of this moment, not with those of the kept list. */
  async #token(session: Session, needed: ServiceTokenRequest, url: string): Promise<string> {
    try {
      return await this.#tokens.get(session, needed);
    } catch (error) {
      if (!(error instanceof AuthzClientError) || error.code !== "scope_not_granted") throw error;
      const now = (await this.#meApi.resources()).find(({ key }) => key === needed.resource.key);
      const missing = needed.scopes.filter((scope) => now?.grantedScopes.includes(scope) !== true);
      const scopes = missing.length === 0 ? (error.facts.missingScopes ?? []) : missing;
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
    return scopeNotGranted(resource, scopes, { url, installation: me?.installation.name, cause });
  }

  /** The kept list first; a service registered a moment ago is found by asking once more. */
  async #match(url: URL, session: Session): Promise<ResourceMatch<Resource>> {
    const kept = await this.#meApi.keptResources(session);
    const match = kept === undefined ? undefined : findRegisteredResource(url, kept);
    const found = match ?? findRegisteredResource(url, await this.#meApi.resources(session));
    if (found !== undefined) return found;
    // The connection only helps: the address may belong to a third party that can be called with an account there.
    const connection = await this.#findConnection(url).catch(() => undefined);
    throw new AuthzClientError("url_not_registered", {
      what: `${url.origin}${url.pathname} does not belong to a service you can use.`,
      why: "No registered request prefix covers it, and credentials go nowhere else. Nothing was sent.",
      connection: connection?.connector,
      connectionName: connection?.name,
    });
  }
}

/** None when the person has none there. */
function chooseScopes(resource: Resource, asked: readonly string[] | undefined): readonly string[] {
  if (asked !== undefined && asked.length > 0) return parseScopes(asked, resource);
  const available = [...resource.grantedScopes, ...resource.undecidedScopes];
  if (available.length <= 1) return available;
  throw new AuthzClientError("scope_required", {
    what: `Say which permission this request to ${resource.name} needs.`,
    why: `You have more than one there: ${available.join(", ")}.`,
    availableScopes: available,
  });
}
