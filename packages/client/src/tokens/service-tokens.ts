import { AnswerFields } from "../answer-fields.js";
import type { ClientContext } from "../client-context.js";
import { loadServerMetadata } from "../discovery.js";
import { AuthzClientError, type AuthzClientErrorText } from "../errors.js";
import type { Resource } from "../me/answers.js";
import { quoted } from "../quoted.js";
import type { KeptToken, Session } from "../session/session.js";
import { keptToken, refused, type SessionKeeper, withoutEnded } from "../session/session-keeper.js";
import { type JsonObject } from "../transport/read-answer.js";
import { OAuthRefusal, requestToken } from "./token-endpoint.js";

const ID_JAG = "urn:ietf:params:oauth:token-type:id-jag";
const ACCESS_TOKEN = "urn:ietf:params:oauth:token-type:access_token";
const JWT_DPOP = "urn:ietf:params:oauth:grant-type:jwt-dpop";
const JWT_BEARER = "urn:ietf:params:oauth:grant-type:jwt-bearer";

/** What a token is needed for. */
export interface ServiceTokenRequest {
  resource: Resource;
  scopes: readonly string[];
}

/** Gets access tokens for registered services and keeps them with the session until they end. */
export class ServiceTokens {
  readonly #context: ClientContext;
  readonly #keeper: SessionKeeper;
  readonly #underway = new Map<string, Promise<string>>();

  constructor(context: ClientContext, keeper: SessionKeeper) {
    this.#context = context;
    this.#keeper = keeper;
  }

  /**
   * A token for a service, a kept one when there is one.
   *
   * @param refusedToken A token the service just refused; a kept token with this value is not used.
   * @throws {AuthzClientError} `scope_not_granted`, `resource_not_available`, `session_ended`, `unreachable`
   */
  async get(request: ServiceTokenRequest, refusedToken?: string): Promise<string> {
    const key = tokenKey(request);
    const kept = (await this.#keeper.load()).serviceTokens[key];
    if (kept !== undefined && kept.value !== refusedToken && this.#keeper.isFresh(kept)) return kept.value;
    const underway = this.#underway.get(key);
    if (underway !== undefined) return await underway;
    const work = this.#obtain(request, key).finally(() => this.#underway.delete(key));
    this.#underway.set(key, work);
    return await work;
  }

  async #obtain(request: ServiceTokenRequest, key: string): Promise<string> {
    const { resource, scopes } = request;
    const { session, assertion } = await this.#assertion(request);
    const token = await this.#redeem(session, resource, assertion);
    await this.#keeper.update((current) => ({
      ...current,
      serviceTokens: { ...withoutEnded(current.serviceTokens, this.#context.clock()), [key]: token },
    }));
    this.#context.onEvent({ type: "service_token_obtained", resource: resource.key, scopes });
    return token.value;
  }

  /**
   * An identity assertion for the service. The access token is the subject token, not the refresh token: another process may
   * be replacing that one this very moment.
   */
  async #assertion(request: ServiceTokenRequest): Promise<{ session: Session; assertion: string }> {
    const session = await this.#keeper.loadFresh();
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
        requested_token_type: ID_JAG,
        audience: resource.authorizationServer,
        resource: resource.resource,
        scope: scopes.join(" "),
        subject_token: session.accessToken.value,
        subject_token_type: ACCESS_TOKEN,
        client_id: session.clientId,
      },
    });
    const fields = new AnswerFields(body, tokenEndpoint);
    fields.oneOf("issued_token_type", [ID_JAG]);
    return fields.text("access_token");
  }

  async #redeem(session: Session, resource: Resource, assertion: string): Promise<KeptToken> {
    const metadata = await loadServerMetadata(this.#context, resource.authorizationServer);
    let body: JsonObject;
    try {
      body = await requestToken(this.#context, {
        endpoint: metadata.tokenEndpoint,
        signer: this.#keeper.signerOf(session),
        form: {
          grant_type: metadata.grantTypes.includes(JWT_DPOP) ? JWT_DPOP : JWT_BEARER,
          assertion,
          client_id: resource.clientId,
        },
      });
    } catch (error) {
      throw error instanceof OAuthRefusal ? refused(error, metadata.tokenEndpoint) : error;
    }
    return keptToken(new AnswerFields(body, metadata.tokenEndpoint), this.#context.clock());
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
        hint: "Ask an administrator whether it was switched off, or taken from you.",
        cause: refusal,
      });
    case "invalid_grant":
      return new AuthzClientError("session_ended", {
        what: "The authorization server no longer accepts this session.",
        why:
          refusal.description === undefined
            ? "It expired, or you or an administrator ended it."
            : `It says: ${quoted(refusal.description)}`,
        hint: "Sign in again",
        next: { do: "sign_in" },
        cause: refusal,
      });
    default:
      return refused(refusal, issuer);
  }
}

/** Where a refused request was going to, and the name of the installation when it could be had. */
export interface Refusal {
  url: string;
  installation: string | undefined;
}

/** The error for permissions a person does not have. */
export function scopeNotGranted(
  resource: Resource,
  missingScopes: readonly string[],
  { refusal, cause }: { refusal?: Refusal; cause?: unknown } = {},
): AuthzClientError {
  const unknown = missingScopes.filter((scope) => !resource.supportedScopes.includes(scope));
  const list = missingScopes.join(", ");
  const held = resource.grantedScopes.join(", ");
  return unknown.length > 0
    ? new AuthzClientError("scope_not_granted", {
        what: `${unknown.join(", ")} ${unknown.length > 1 ? "are not permissions" : "is not a permission"} of ${resource.name}.`,
        why: `It has these: ${resource.supportedScopes.join(", ")}.`,
        hint: "Use one of them instead.",
        missingScopes,
        cause,
      })
    : new AuthzClientError("scope_not_granted", {
        what: `${list} ${missingScopes.length > 1 ? "are" : "is"} not among your permissions for ${resource.name}.`,
        why: held === "" ? "You have none there." : `You have these: ${held}.`,
        ...whomToAsk(missingScopes, refusal),
        missingScopes,
        cause,
      });
}

function whomToAsk(
  missingScopes: readonly string[],
  refusal: Refusal | undefined,
): Pick<AuthzClientErrorText, "hint" | "next"> {
  const it = missingScopes.length > 1 ? "them" : "it";
  if (refusal === undefined) return { hint: `Ask an administrator for ${it}.` };
  const { installation, url } = refusal;
  const where = installation === undefined ? "" : ` of ${installation}`;
  return {
    hint: `Ask an administrator${where} for ${it}, or see who that is`,
    next: { do: "explain", url, scopes: missingScopes },
  };
}
