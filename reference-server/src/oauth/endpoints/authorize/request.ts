import { asErrorDescription, OAuthError } from "../../../protocol/oauth-error.js";
import {
  type Parameters,
  parseScope,
  refuseRepeated,
  requireParameter,
} from "../../../protocol/parameters.js";
import { isRegisteredRedirectUri } from "../../../protocol/redirect-uri.js";
import { isCodeChallenge } from "../../../protocol/secrets.js";
import { clientScopes, grantTypes, isClientScope } from "../../../protocol/vocabulary.js";
import { type Client, mayAct } from "../../../store/clients.js";
import type { Resource } from "../../../store/resources.js";
import { loginScope } from "../../../store/system-scopes.js";

/** The part of a client that this endpoint uses. */
type AuthorizingClient = Pick<
  Client,
  "id" | "name" | "type" | "redirectUris" | "dpopBound" | "grantTypes" | "source" | "trusted" | "enabled"
>;

/** Where the answer to an authorization request goes. */
export interface ResponseTarget {
  readonly redirectUri: string;
  readonly state: string | undefined;
}

export type Prompt = "none" | "login" | "consent" | "select_account";

/** A valid authorization request. */
export interface AuthorizationRequest extends ResponseTarget {
  readonly clientId: string;
  /** `undefined`: this server's own API. */
  readonly resource: Resource | undefined;
  /** With a resource: about the person, and of the service; none of the service is for everything there. */
  readonly scopes: readonly string[];
  readonly nonce: string | undefined;
  readonly codeChallenge: string;
  /** The thumbprint of the key that the code will be bound to; `undefined` when the request names none. */
  readonly dpopJkt: string | undefined;
  readonly prompts: ReadonlySet<Prompt>;
  readonly maxAgeSeconds: number | undefined;
}

const prompts: ReadonlySet<string> = new Set<Prompt>(["none", "login", "consent", "select_account"]);
const thumbprintText = /^[A-Za-z0-9_-]{43}$/;
const maxLength = 2048;

const known = [
  "response_type",
  "response_mode",
  "resource",
  "scope",
  "state",
  "nonce",
  "code_challenge",
  "code_challenge_method",
  "dpop_jkt",
  "prompt",
  "max_age",
  "request",
  "request_uri",
  "registration",
] as const;

/** Above any usual request, below the limits of proxies. */
const longestQuery = 7_500;

/**
 * The same request as a query. Unknown parameters are left out; repeated ones stay repeated.
 *
 * @throws {OAuthError} `invalid_request`: it is too long for an address.
 */
export function authorizationQuery(parameters: Parameters): string {
  const query = new URLSearchParams();
  for (const name of ["client_id", "redirect_uri", ...known]) {
    const value = parameters.get(name);
    if (value !== undefined) query.append(name, value);
    if (parameters.repeated.has(name)) {
      if (value === undefined) query.append(name, "");
      query.append(name, value ?? "");
    }
  }
  const text = query.toString();
  if (text.length <= longestQuery) return text;
  throw new OAuthError(
    "invalid_request",
    "too_long",
    `The parameters are longer than ${longestQuery} characters. Push them first (RFC 9126).`,
  );
}

/**
 * Finds the redirect URI that an answer may be sent to.
 *
 * @throws {OAuthError} The error must be shown here and never sent anywhere (RFC 9700 §4.11.2).
 */
export function locateResponseTarget(
  parameters: Parameters,
  client: AuthorizingClient | undefined,
): ResponseTarget & { readonly client: AuthorizingClient } {
  refuseRepeated(parameters, ["client_id", "redirect_uri"]);
  requireParameter(parameters, "client_id");
  if (client === undefined || !mayAct(client)) {
    throw new OAuthError(
      "invalid_client",
      "unknown_client",
      "The client_id does not name a client that is registered here.",
    );
  }
  const redirectUri = requireParameter(parameters, "redirect_uri");
  if (!isRegisteredRedirectUri(redirectUri, client.redirectUris)) {
    throw new OAuthError(
      "invalid_request",
      "unregistered_redirect_uri",
      "The redirect_uri is not one of those registered for this client.",
    );
  }
  const state = parameters.repeated.has("state") ? undefined : parameters.get("state");
  return { client, redirectUri, state };
}

/**
 * Validates the parameters of a request whose answer may be sent.
 *
 * @param asked - the service that it names, and the key of the proof of a pushed request, which counts like `dpop_jkt`
 * @throws {OAuthError} The error belongs into the redirect to the client.
 */
export function parseAuthorizationRequest(
  parameters: Parameters,
  { client, redirectUri, state }: ResponseTarget & { readonly client: AuthorizingClient },
  { resource, proofKey }: { readonly resource: Resource | undefined; readonly proofKey?: string | undefined },
): AuthorizationRequest {
  refuseRepeated(parameters, known);
  refuseUnsupported(parameters);
  const codeChallenge = parseCodeChallenge(parameters);
  const dpopJkt = parseKeyBinding(parameters, proofKey);
  return {
    clientId: client.id,
    redirectUri,
    state: limited(state, "state"),
    nonce: limited(parameters.get("nonce"), "nonce"),
    codeChallenge,
    dpopJkt,
    resource,
    scopes: parseRequestedScopes(parameters.get("scope"), client, resource),
    prompts: parsePrompts(parameters.get("prompt")),
    maxAgeSeconds: parseMaxAge(parameters.get("max_age")),
  };
}

function refuseUnsupported(parameters: Parameters): void {
  if (parameters.get("request") !== undefined) {
    throw new OAuthError("request_not_supported", "request_object", "Request objects are not supported.");
  }
  if (parameters.get("request_uri") !== undefined) {
    throw new OAuthError(
      "request_uri_not_supported",
      "request_uri",
      "The parameter request_uri is not supported.",
    );
  }
  if (parameters.get("registration") !== undefined) {
    throw new OAuthError(
      "registration_not_supported",
      "registration",
      "The parameter registration is not supported.",
    );
  }
  if (requireParameter(parameters, "response_type") !== "code") {
    throw new OAuthError("unsupported_response_type", "response_type", "The response_type must be code.");
  }
  if ((parameters.get("response_mode") ?? "query") !== "query") {
    throw new OAuthError("invalid_request", "response_mode", "The response_mode must be query.");
  }
}

function parseCodeChallenge(parameters: Parameters): string {
  const codeChallenge = requireParameter(parameters, "code_challenge");
  if (parameters.get("code_challenge_method") !== "S256") {
    throw new OAuthError(
      "invalid_request",
      "code_challenge_method",
      "The code_challenge_method must be S256.",
    );
  }
  if (!isCodeChallenge(codeChallenge)) {
    throw new OAuthError(
      "invalid_request",
      "code_challenge",
      "The code_challenge must be the base64url form of a SHA-256 hash.",
    );
  }
  return codeChallenge;
}

/**
 * The key that a request names with `dpop_jkt` or with its proof (RFC 9449 §10.1). Without one, the first key at the token endpoint
 * counts.
 *
 * @throws {OAuthError} `invalid_request`: a key that is none, or two different ones.
 */
export function parseKeyBinding(parameters: Parameters, proofKey: string | undefined): string | undefined {
  const dpopJkt = parameters.get("dpop_jkt");
  if (dpopJkt === undefined) return proofKey;
  if (!thumbprintText.test(dpopJkt)) {
    throw new OAuthError(
      "invalid_request",
      "dpop_jkt",
      "The dpop_jkt must be the SHA-256 thumbprint of a key.",
    );
  }
  if (proofKey !== undefined && proofKey !== dpopJkt) {
    throw new OAuthError(
      "invalid_request",
      "dpop_jkt_mismatch",
      "The dpop_jkt is not the key of the proof that came with it.",
    );
  }
  return dpopJkt;
}

/**
 * The requested scopes that can be granted: some clients ask for every scope of the metadata. A token for a service cannot also be for
 * acting at others, and `offline_access` takes the refresh grant. A client with a document or its own registration that lists refresh_token
 * gets it without asking.
 *
 * @throws {OAuthError} `invalid_scope`.
 */
export function parseRequestedScopes(
  text: string | undefined,
  client: Pick<Client, "grantTypes" | "source">,
  resource: Resource | undefined,
): readonly string[] {
  const wanted = text === undefined ? (resource === undefined ? clientScopes : []) : parseScope(text);
  if (wanted === undefined)
    throw new OAuthError("invalid_scope", "malformed_scope", "The scope is malformed.");
  const unknown = wanted.filter(
    (scope) => !isClientScope(scope) && resource?.supportedScopes.includes(scope) !== true,
  );
  if (unknown.length > 0) {
    const message =
      resource === undefined
        ? `A client may ask for these scopes here: ${clientScopes.join(" ")}.`
        : `${resource.name} does not know: ${unknown.join(" ")}.`;
    throw new OAuthError("invalid_scope", "unknown_scope", message);
  }
  const refreshes = client.grantTypes.includes(grantTypes.refreshToken);
  const left = new Set(wanted);
  if (resource !== undefined) left.delete(loginScope);
  if (!refreshes) left.delete("offline_access");
  else if (client.source !== "registered") left.add("offline_access");
  return [...left];
}

function parsePrompts(text: string | undefined): ReadonlySet<Prompt> {
  const values = new Set(text === undefined ? [] : text.split(" ").filter((value) => value !== ""));
  if ([...values].some((value) => !prompts.has(value))) {
    throw new OAuthError(
      "invalid_request",
      "prompt",
      "The prompt must be none, login, consent or select_account.",
    );
  }
  if (values.has("none") && values.size > 1) {
    throw new OAuthError(
      "invalid_request",
      "prompt_none",
      "The prompt none cannot be combined with another.",
    );
  }
  return values as ReadonlySet<Prompt>;
}

function parseMaxAge(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (!/^\d{1,9}$/.test(text)) {
    throw new OAuthError("invalid_request", "max_age", "The max_age must be a whole number of seconds.");
  }
  return Number(text);
}

function limited(value: string | undefined, name: string): string | undefined {
  if (value !== undefined && value.length > maxLength) {
    throw new OAuthError(
      "invalid_request",
      "too_long",
      `The parameter ${name} is longer than ${maxLength} characters.`,
    );
  }
  return value;
}

/** The address that carries a code to the client, with `iss` (RFC 9207). */
export function codeResponse(target: ResponseTarget, issuer: string, code: string): string {
  return withParameters(target, issuer, { code });
}

/** The address that carries an error to the client. */
export function errorResponse(target: ResponseTarget, issuer: string, error: OAuthError): string {
  return withParameters(target, issuer, {
    error: error.code,
    error_description: asErrorDescription(error.message),
  });
}

function withParameters(target: ResponseTarget, issuer: string, parameters: Record<string, string>): string {
  const url = new URL(target.redirectUri);
  for (const [name, value] of Object.entries(parameters)) url.searchParams.append(name, value);
  if (target.state !== undefined) url.searchParams.append("state", target.state);
  url.searchParams.append("iss", issuer);
  return url.href;
}
