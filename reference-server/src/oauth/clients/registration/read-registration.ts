import { JwsError, type JsonObject, parseStrictJsonObject } from "@authz/dpop/jws";
import { OAuthError } from "../../../protocol/oauth-error.js";
import { redirectPlace } from "../../../protocol/redirect-uri.js";
import { type GrantTypeName, grantTypes } from "../../../protocol/vocabulary.js";
import { redirectHosts, redirectUriFault } from "../../../protocol/redirect-rules.js";
import { readClientName, readGrantTypes, readTexts } from "../client-metadata.js";

const { authorizationCode, refreshToken } = grantTypes;

/** What a client says about itself when it registers. */
export interface Registration {
  readonly name: string;
  readonly redirectUris: readonly string[];
  /** The hosts of its redirects that are not on the person's own computer. */
  readonly hosts: readonly string[];
  readonly dpopBound: boolean;
  readonly grantTypes: readonly GrantTypeName[];
}

/**
 * Reads client metadata (RFC 7591 §2): a public client with the authorization code flow. Members that mean nothing here are not looked at.
 *
 * @throws {OAuthError} `invalid_client_metadata` or `invalid_redirect_uri`
 */
export function readRegistration(body: Uint8Array): Registration {
  const metadata = parse(body);
  const method = metadata["token_endpoint_auth_method"] ?? "none";
  if (method !== "none") {
    throw invalidMetadata(
      "registration_method",
      "Clients that register themselves have no secret and no key here: the token_endpoint_auth_method must be none.",
    );
  }
  const listed = readGrantTypes(metadata) ?? [];
  if (!listed.includes(authorizationCode)) {
    throw invalidMetadata(
      "registration_flow",
      "The grant_types must include authorization_code, and the response_types code.",
    );
  }
  const redirectUris = readRedirectUris(metadata["redirect_uris"]);
  return {
    name: readName(metadata["client_name"], redirectUris),
    redirectUris,
    hosts: redirectHosts(redirectUris),
    dpopBound: metadata["dpop_bound_access_tokens"] === true,
    grantTypes: listed.filter((grantType) => grantType === authorizationCode || grantType === refreshToken),
  };
}

/** The refusal of a redirect that a client that registers itself cannot have. */
export function invalidRedirect(): OAuthError {
  return new OAuthError(
    "invalid_redirect_uri",
    "registration_redirect",
    "Redirects must be http to 127.0.0.1, [::1] or localhost, or https at a host that an administrator has allowed.",
  );
}

function parse(body: Uint8Array): JsonObject {
  try {
    return parseStrictJsonObject(body);
  } catch (error) {
    if (!(error instanceof JwsError)) throw error;
    throw invalidMetadata("registration_malformed", "The body must be one JSON object, each member once.");
  }
}

function readRedirectUris(value: unknown): readonly string[] {
  const uris = readTexts(value);
  const isGood = (uri: string) => /^https?:/.test(uri) && redirectUriFault(uri, "public") === undefined;
  if (uris === undefined || uris.length === 0 || !uris.every(isGood)) throw invalidRedirect();
  return [...new Set(uris)];
}

function readName(value: unknown, [first = ""]: readonly string[]): string {
  const name = value === undefined ? redirectPlace(first) : readClientName(value);
  if (name !== undefined) return name;
  throw invalidMetadata("registration_name", "The client_name cannot be shown: it must be 1 to 100 letters.");
}

function invalidMetadata(reason: string, message: string): OAuthError {
  return new OAuthError("invalid_client_metadata", reason, message);
}
