import type { IdentityProvider } from "../store/providers.js";

/** One thing that was looked at. */
export interface ProviderCheck {
  readonly id:
    | "discovery"
    | "issuer"
    | "endpoints"
    | "code_flow"
    | "pkce"
    | "signing_algorithms"
    | "authentication"
    | "scopes"
    | "claims"
    | "keys"
    | "sign_in"
    | "client";
  readonly state: "passed" | "warning" | "failed";
  readonly title: string;
  readonly detail: string;
  /** What to do about it. */
  readonly remedy?: string;
}

/** A provider's metadata as it came: nothing in it is certain. */
export type Metadata = Readonly<Record<string, unknown>>;

interface Expectations {
  readonly draft: Pick<IdentityProvider, "issuer" | "tokenEndpointAuthMethod" | "scopes">;
  readonly isSecure: (url: string) => boolean;
}

/** Judges a provider's metadata: what does not fit, and what to do about it. */
export function judgeMetadata(
  metadata: Metadata,
  { draft, isSecure }: Expectations,
): readonly ProviderCheck[] {
  return [
    judgeIssuer(metadata, draft.issuer),
    judgeEndpoints(metadata, isSecure),
    judgeCodeFlow(metadata),
    judgePkce(metadata),
    judgeAlgorithms(metadata),
    judgeAuthentication(metadata, draft.tokenEndpointAuthMethod),
    judgeScopes(metadata, draft.scopes),
    judgeClaims(metadata),
  ];
}

function judgeIssuer({ issuer }: Metadata, wanted: string): ProviderCheck {
  const check = { id: "issuer", title: "The issuer matches" } as const;
  const same =
    typeof issuer === "string" && URL.canParse(issuer) && new URL(issuer).href === new URL(wanted).href;
  if (same) return { ...check, state: "passed", detail: `The metadata is of ${issuer}.` };
  const said =
    typeof issuer === "string" ? `is of the issuer ${issuer}, not of ${wanted}` : "names no issuer";
  const remedy =
    typeof issuer === "string" ? `Enter ${issuer} as issuer, if that is your provider.` : undefined;
  return {
    ...check,
    state: "failed",
    detail: `The metadata ${said}.`,
    ...(remedy !== undefined && { remedy }),
  };
}

const endpointNames = ["authorization_endpoint", "token_endpoint", "jwks_uri"] as const;

function judgeEndpoints(metadata: Metadata, isSecure: (url: string) => boolean): ProviderCheck {
  const check = { id: "endpoints", title: "The endpoints are there, over https" } as const;
  const optional = metadata["userinfo_endpoint"] === undefined ? [] : ["userinfo_endpoint"];
  const names = [...endpointNames, ...optional];
  const missing = names.filter((name) => typeof metadata[name] !== "string");
  if (missing.length > 0) {
    return { ...check, state: "failed", detail: `The metadata has no ${missing.join(", ")}.` };
  }
  const insecure = names.filter((name) => !isSecure(String(metadata[name])));
  if (insecure.length > 0) {
    return { ...check, state: "failed", detail: `Not an https: address: ${insecure.join(", ")}.` };
  }
  return { ...check, state: "passed", detail: `${names.join(", ")}.` };
}

function judgeCodeFlow(metadata: Metadata): ProviderCheck {
  const check = { id: "code_flow", title: "The code flow is offered" } as const;
  const offered = textsOf(metadata["response_types_supported"]);
  if (offered === undefined || offered.includes("code")) {
    return { ...check, state: "passed", detail: "response_type code." };
  }
  const detail = `Offered are only ${offered.join(", ")}.`;
  return { ...check, state: "failed", detail, remedy: "Allow the authorization code flow at the provider." };
}

function judgePkce(metadata: Metadata): ProviderCheck {
  const check = { id: "pkce", title: "PKCE with S256 is supported" } as const;
  const offered = textsOf(metadata["code_challenge_methods_supported"]);
  if (offered === undefined) {
    const detail = "The metadata does not say. This server sends S256 in any case.";
    return { ...check, state: "warning", detail };
  }
  if (offered.includes("S256")) return { ...check, state: "passed", detail: "S256 is among the methods." };
  const detail = `The metadata names ${offered.join(", ") || "no method"}, not S256.`;
  return { ...check, state: "failed", detail, remedy: "Switch PKCE with S256 on at the provider." };
}

const algorithm = /^(?:(?:RS|PS|ES)(?:256|384|512)|EdDSA|Ed25519)$/;

function judgeAlgorithms(metadata: Metadata): ProviderCheck {
  const check = { id: "signing_algorithms", title: "ID tokens are signed with a public key" } as const;
  const offered = textsOf(metadata["id_token_signing_alg_values_supported"]);
  if (offered === undefined) {
    return { ...check, state: "warning", detail: "The metadata does not say; RS256 is assumed." };
  }
  const usable = offered.filter((name) => algorithm.test(name));
  if (usable.length > 0) return { ...check, state: "passed", detail: `${usable.join(", ")}.` };
  return {
    ...check,
    state: "failed",
    detail: `Offered are only ${offered.join(", ") || "no algorithms"}, which this server does not accept.`,
    remedy: "Let the provider sign ID tokens with RS256, PS256, ES256 or EdDSA.",
  };
}

function judgeAuthentication(
  metadata: Metadata,
  method: IdentityProvider["tokenEndpointAuthMethod"],
): ProviderCheck {
  const check = {
    id: "authentication",
    title: "The provider takes the client's way to prove itself",
  } as const;
  // OpenID Connect Discovery §3: the default when the metadata does not say.
  const offered = textsOf(metadata["token_endpoint_auth_methods_supported"]) ?? ["client_secret_basic"];
  const wanted = method === null ? ["client_secret_basic", "client_secret_post"] : [method];
  const usable = wanted.filter((name) => offered.includes(name));
  if (usable.length > 0) return { ...check, state: "passed", detail: `${usable.join(", ")}.` };
  // Many providers that take public clients do not say so.
  const state = method === "none" ? "warning" : "failed";
  return {
    ...check,
    state,
    detail: `The provider names ${offered.join(", ") || "no method"}, not ${wanted.join(" or ")}.`,
    remedy: "Choose a method that the provider names, or allow this one there.",
  };
}

function judgeScopes(metadata: Metadata, wanted: readonly string[]): ProviderCheck {
  const check = { id: "scopes", title: "The provider knows the scopes" } as const;
  if (!wanted.includes("openid")) {
    const remedy = "Add openid to the scopes; email and profile as well.";
    return { ...check, state: "failed", detail: "Without openid there is no ID token.", remedy };
  }
  const offered = textsOf(metadata["scopes_supported"]);
  const unknown = wanted.filter((scope) => offered !== undefined && !offered.includes(scope));
  if (unknown.length === 0) return { ...check, state: "passed", detail: `${wanted.join(", ")}.` };
  const detail = `The metadata does not name ${unknown.join(", ")}. Not every provider names all it knows.`;
  return { ...check, state: "warning", detail };
}

function judgeClaims(metadata: Metadata): ProviderCheck {
  const check = { id: "claims", title: "The provider says which e-mail address somebody has" } as const;
  const offered = textsOf(metadata["claims_supported"]);
  const missing = ["email", "email_verified"].filter((claim) => offered?.includes(claim) === false);
  if (missing.length === 0) {
    const detail = offered === undefined ? "The metadata does not say." : "email and email_verified.";
    return { ...check, state: offered === undefined ? "warning" : "passed", detail };
  }
  return {
    ...check,
    state: "warning",
    detail: `The metadata does not name ${missing.join(" and ")}. Without a verified address nobody is signed in.`,
    remedy: `Let the provider send ${missing.join(" and ")}, if a sign-in is refused for it.`,
  };
}

function textsOf(value: unknown): readonly string[] | undefined {
  return Array.isArray(value) ? value.filter((item) => typeof item === "string") : undefined;
}
