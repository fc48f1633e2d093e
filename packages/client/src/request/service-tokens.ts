import type { Resource } from "../api/me-api.js";
import { AuthzClientError, type AuthzClientErrorFacts } from "../errors.js";
import type { ClientContext } from "../session/client-context.js";
import type { Session } from "../session/session.js";
import { type SessionKeeper, unexpectedRefusal, withoutEnded } from "../session/session-keeper.js";
import { loadServerMetadata, type ServerMetadata } from "../tokens/server-metadata.js";
import { type KeptToken, keptToken, TokenCache } from "../tokens/token-cache.js";
import { OAuthRefusal, requestToken } from "../tokens/token-endpoint.js";
import { JsonFields } from "../transport/json-fields.js";
import { quoted } from "../transport/quoted.js";
import type { JsonObject } from "@authz/dpop/jws";

const idJag = "urn:ietf:params:oauth:token-type:id-jag";
const accessToken = "urn:ietf:params:oauth:token-type:access_token";
const jwtDpop = "urn:ietf:params:oauth:grant-type:jwt-dpop";
const jwtBearer = "urn:ietf:params:oauth:grant-type:jwt-bearer";

/** What a token is needed for. */
export interface ServiceTokenRequest {
  resource: Resource;
  scopes: readonly string[];
}

/** Gets access tokens for registered services and keeps them with the session until they end. */
export class ServiceTokens {
  readonly #context: ClientContext;
  readonly #keeper: SessionKeeper;
  readonly #cache: TokenCache;

  constructor(context: ClientContext, keeper: SessionKeeper) {
    this.#context = context;
    this.#keeper = keeper;
    this.#cache = new TokenCache(context.clock);
  }

  /**
   * A token for a service, a kept one when there is one.
   *
   * @param refused A token the service just refused; a kept token with this value is not used.
   * @throws {AuthzClientError} `scope_not_granted`, `resource_not_available`, `session_ended`, `unreachable`
   */
  async get(session: Session, request: ServiceTokenRequest, refused?: string): Promise<string> {
    const key = tokenKey(request);
    return await this.#cache.get({
      key,
      refused,
      kept: session.serviceTokens[key],
      // Another request may have got it since the session was loaded, and another process may be getting it now.
      reload: async () => (await this.#keeper.load()).serviceTokens[key],
      obtain: async () => await this.#obtain(session, request, key),
      alone: async (work) => await this.#context.store.exclusively(work, key),
    });
  }

  async #obtain(session: Session, request: ServiceTokenRequest, key: string): Promise<KeptToken> {
    const { resource, scopes } = request;
    const fresh = await this.#keeper.freshen(session);
    const { assertion, session: used } = await this.#assertion(fresh, request);
    const token = await this.#redeem(used, resource, assertion);
    await this.#keeper.update((current) => ({
      ...current,
      serviceTokens: { ...withoutEnded(current.serviceTokens, this.#context.clock()), [key]: token },
    }));
    this.#context.onEvent({ type: "service_token_obtained", resource: resource.key, scopes });
    return token;
  }

  /**
   * An identity assertion for the service. The access token is the subject token, not the refresh token: another process may
   * be replacing that one this very moment.
   */
  async #assertion(
    session: Session,
    request: ServiceTokenRequest,
  ): Promise<{ session: Session; assertion: string }> {
    try {
      return { session, assertion: await this.#exchange(session, request) };
    } catch (error) {
      if (!(error instanceof OAuthRefusal)) throw error;
      if (error.error !== "invalid_grant") throw exchangeRefused(error, request, this.#context.issuer);
    }
    const renewed = await this.#keeper.renew(session.accessToken.value);
    try {
      return { session: renewed, assertion: await this.#exchange(renewed, request) };
    } catch (error) {
      throw error instanceof OAuthRefusal ? exchangeRefused(error, request, this.#context.issuer) : error;
    }
  }

  async #exchange(session: Session, { resource, scopes }: ServiceTokenRequest): Promise<string> {
    const { tokenEndpoint } = await loadServerMetadata(this.#context, this.#context.issuer);
    const body = await requestToken(this.#context, {
      endpoint: tokenEndpoint,
      signer: this.#keeper.signerOf(session),
      form: {
        grant_type: "urn:ietf:params:oauth:grant-type:token-exchange",
        requested_token_type: idJag,
        audience: resource.authorizationServer,
        resource: resource.resource,
        scope: scopes.join(" "),
        subject_token: session.accessToken.value,
        subject_token_type: accessToken,
        client_id: session.clientId,
      },
    });
    const fields = new JsonFields(body, tokenEndpoint);
    fields.oneOf("issued_token_type", [idJag]);
    return fields.string("access_token");
  }

  async #redeem(session: Session, resource: Resource, assertion: string): Promise<KeptToken> {
    const metadata = await this.#metadataOf(resource);
    // A service that takes only the server's tokens is registered with the server itself, which knows this client by its own id.
    const isOurs = resource.authorizationServer === this.#context.issuer;
    let body: JsonObject;
    try {
      body = await requestToken(this.#context, {
        endpoint: metadata.tokenEndpoint,
        signer: this.#keeper.signerOf(session),
        form: {
          grant_type: metadata.grantTypes.includes(jwtDpop) ? jwtDpop : jwtBearer,
          assertion,
          client_id: isOurs ? session.clientId : resource.clientId,
        },
      });
    } catch (error) {
      throw error instanceof OAuthRefusal ? unexpectedRefusal(error, metadata.tokenEndpoint) : error;
    }
    return keptToken(new JsonFields(body, metadata.tokenEndpoint), this.#context.clock());
  }

  /** Where an assertion for a service is redeemed. */
  async #metadataOf({ name, authorizationServer }: Resource): Promise<ServerMetadata> {
    try {
      return await loadServerMetadata(this.#context, authorizationServer);
    } catch (error) {
      const isAbsent = error instanceof AuthzClientError && error.reason === "answer_invalid";
      if (!isAbsent || authorizationServer === this.#context.issuer) throw error;
      throw error.with({
        what: `${name} does not say how it gives out tokens.`,
        why: `${error.message} If the service takes only tokens from ${this.#context.issuer}, an administrator has to name that as its authorization server.`,
      });
    }
  }
}

function tokenKey({ resource, scopes }: ServiceTokenRequest): string {
  return JSON.stringify([resource.authorizationServer, resource.resource, [...scopes].sort().join(" ")]);
}

function exchangeRefused(refusal: OAuthRefusal, request: ServiceTokenRequest, issuer: string): Error {
  const { resource, scopes } = request;
  switch (refusal.error) {
    case "invalid_scope": {
      const missing = scopes.filter((scope) => !resource.grantedScopes.includes(scope));
      const named = missing.length === 0 ? scopes : missing;
      return scopeNotGranted(resource, named, { cause: refusal });
    }
    case "invalid_target":
      return new AuthzClientError("resource_not_available", {
        what: `${resource.name} cannot be used at the moment.`,
        why: "The authorization server no longer lists it among your services.",
        cause: refusal,
      });
    case "invalid_grant":
      return new AuthzClientError("session_ended", {
        what: "The authorization server no longer accepts this session.",
        why:
          refusal.description === undefined
            ? "It expired, or you or an administrator ended it."
            : `It says: ${quoted(refusal.description)}`,
        cause: refusal,
      });
    default:
      return unexpectedRefusal(refusal, issuer);
  }
}

/** The error for permissions a person does not have. */
export function scopeNotGranted(
  resource: Resource,
  missingScopes: readonly string[],
  facts: Pick<AuthzClientErrorFacts, "url" | "installation"> & { cause?: unknown } = {},
): AuthzClientError {
  const unknown = missingScopes.filter((scope) => !resource.supportedScopes.includes(scope));
  if (unknown.length > 0)
    return new AuthzClientError("scope_unknown", {
      what: `${unknown.join(", ")} ${unknown.length > 1 ? "are not permissions" : "is not a permission"} of ${resource.name}.`,
      why: `It has these: ${resource.supportedScopes.join(", ")}.`,
      missingScopes,
      cause: facts.cause,
    });
  const held = resource.grantedScopes.join(", ");
  return new AuthzClientError("scope_missing", {
    what: `You lack ${missingScopes.join(", ")} for ${resource.name}.`,
    why: held === "" ? "You have no permission there." : `You have ${held}.`,
    missingScopes,
    ...facts,
  });
}
