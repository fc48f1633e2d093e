import type { Check } from "./check.js";
import type { IdentityProvider } from "../../store/identity-providers.js";
import type { SayBelow } from "../../text/say-below.js";

/** A provider's metadata as it came: nothing in it is certain. */
export type Metadata = Readonly<Record<string, unknown>>;

interface Expectations {
  readonly draft: Pick<IdentityProvider, "issuer" | "tokenEndpointAuthMethod" | "scopes">;
  readonly isSecure: (url: string) => boolean;
  readonly t: Texts;
}

/** Says a sentence about a provider. */
export type Texts = SayBelow<"administration.provider">;

/** Judges a provider's metadata: what does not fit, and what to do about it. */
export function judgeMetadata(metadata: Metadata, { draft, isSecure, t }: Expectations): readonly Check[] {
  return [
    judgeIssuer(metadata, draft.issuer, t),
    judgeEndpoints(metadata, isSecure, t),
    judgeCodeFlow(metadata, t),
    judgePkce(metadata, t),
    judgeAlgorithms(metadata, t),
    judgeAuthentication(metadata, draft.tokenEndpointAuthMethod, t),
    judgeScopes(metadata, draft.scopes, t),
    judgeClaims(metadata, t),
  ];
}

/** Whether the metadata is of the issuer that was asked for. */
export function judgeIssuer({ issuer }: Metadata, wanted: string, t: Texts): Check {
  const check = { id: "issuer", title: t("issuer.title") } as const;
  const same =
    typeof issuer === "string" && URL.canParse(issuer) && new URL(issuer).href === new URL(wanted).href;
  if (same) return { ...check, state: "passed", detail: t("issuer.passed", { issuer }) };
  if (typeof issuer !== "string") return { ...check, state: "failed", detail: t("issuer.none") };
  return {
    ...check,
    state: "failed",
    detail: t("issuer.other", { said: issuer, wanted }),
    remedy: t("issuer.remedy", { said: issuer }),
  };
}

const endpointNames = ["authorization_endpoint", "token_endpoint", "jwks_uri"] as const;

function judgeEndpoints(metadata: Metadata, isSecure: (url: string) => boolean, t: Texts): Check {
  const check = { id: "endpoints", title: t("endpoints.title") } as const;
  const optional = metadata["userinfo_endpoint"] === undefined ? [] : ["userinfo_endpoint"];
  const names = [...endpointNames, ...optional];
  const missing = names.filter((name) => typeof metadata[name] !== "string");
  if (missing.length > 0) {
    return { ...check, state: "failed", detail: t("endpoints.missing", { names: missing }) };
  }
  const insecure = names.filter((name) => !isSecure(String(metadata[name])));
  if (insecure.length > 0) {
    return { ...check, state: "failed", detail: t("endpoints.insecure", { names: insecure }) };
  }
  return { ...check, state: "passed", detail: `${names.join(", ")}.` };
}

/** Whether the authorization code flow is offered. */
export function judgeCodeFlow(metadata: Metadata, t: Texts): Check {
  const check = { id: "code_flow", title: t("codeFlow.title") } as const;
  const offered = stringsOf(metadata["response_types_supported"]);
  if (offered === undefined || offered.includes("code")) {
    return { ...check, state: "passed", detail: "response_type code." };
  }
  return {
    ...check,
    state: "failed",
    detail: t("codeFlow.failed", { offered }),
    remedy: t("codeFlow.remedy"),
  };
}

/** Whether codes can be bound to the browser that asked for them. */
export function judgePkce(metadata: Metadata, t: Texts): Check {
  const check = { id: "pkce", title: t("pkce.title") } as const;
  const offered = stringsOf(metadata["code_challenge_methods_supported"]);
  if (offered === undefined) return { ...check, state: "warning", detail: t("pkce.silent") };
  if (offered.includes("S256")) return { ...check, state: "passed", detail: t("pkce.passed") };
  return {
    ...check,
    state: "failed",
    detail: t("pkce.failed", { offered, count: offered.length }),
    remedy: t("pkce.remedy"),
  };
}

const algorithm = /^(?:(?:RS|PS|ES)(?:256|384|512)|EdDSA|Ed25519)$/;

function judgeAlgorithms(metadata: Metadata, t: Texts): Check {
  const check = { id: "signing_algorithms", title: t("algorithms.title") } as const;
  const offered = stringsOf(metadata["id_token_signing_alg_values_supported"]);
  if (offered === undefined) {
    return { ...check, state: "warning", detail: t("algorithms.silent") };
  }
  const usable = offered.filter((name) => algorithm.test(name));
  if (usable.length > 0) return { ...check, state: "passed", detail: `${usable.join(", ")}.` };
  return {
    ...check,
    state: "failed",
    detail: t("algorithms.failed", { offered, count: offered.length }),
    remedy: t("algorithms.remedy"),
  };
}

function judgeAuthentication(
  metadata: Metadata,
  method: IdentityProvider["tokenEndpointAuthMethod"],
  t: Texts,
): Check {
  const check = { id: "authentication", title: t("authentication.title") } as const;
  // OpenID Connect Discovery §3: the default when the metadata does not say.
  const offered = stringsOf(metadata["token_endpoint_auth_methods_supported"]) ?? ["client_secret_basic"];
  const wanted = method === null ? ["client_secret_basic", "client_secret_post"] : [method];
  const usable = wanted.filter((name) => offered.includes(name));
  if (usable.length > 0) return { ...check, state: "passed", detail: `${usable.join(", ")}.` };
  // Many providers that take public clients do not say so.
  const state = method === "none" ? "warning" : "failed";
  return {
    ...check,
    state,
    detail: t("authentication.failed", { offered, count: offered.length, wanted: { any: wanted } }),
    remedy: t("authentication.remedy"),
  };
}

function judgeScopes(metadata: Metadata, wanted: readonly string[], t: Texts): Check {
  const check = { id: "scopes", title: t("scopes.title") } as const;
  const offered = stringsOf(metadata["scopes_supported"]);
  const unknown = wanted.filter((scope) => offered !== undefined && !offered.includes(scope));
  if (unknown.length === 0) return { ...check, state: "passed", detail: `${wanted.join(", ")}.` };
  return { ...check, state: "warning", detail: t("scopes.unknown", { scopes: unknown }) };
}

function judgeClaims(metadata: Metadata, t: Texts): Check {
  const check = { id: "claims", title: t("claims.title") } as const;
  const offered = stringsOf(metadata["claims_supported"]);
  const missing = ["email", "email_verified"].filter((claim) => offered?.includes(claim) === false);
  if (missing.length === 0) {
    const detail = offered === undefined ? t("silent") : t("claims.passed");
    return { ...check, state: offered === undefined ? "warning" : "passed", detail };
  }
  return {
    ...check,
    state: "warning",
    detail: t("claims.missing", { claims: { all: missing } }),
    remedy: t("claims.remedy", { claims: { all: missing } }),
  };
}

/** The strings of a list; `undefined` when it is none. */
export function stringsOf(value: unknown): readonly string[] | undefined {
  return Array.isArray(value) ? value.filter((item) => typeof item === "string") : undefined;
}
