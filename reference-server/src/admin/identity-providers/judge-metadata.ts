import type { IdentityProvider } from "../../store/providers.js";
import type { AdminTexts } from "../texts/texts.js";

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
  readonly texts: AdminTexts;
}

type Texts = AdminTexts["provider"];

/** Judges a provider's metadata: what does not fit, and what to do about it. */
export function judgeMetadata(
  metadata: Metadata,
  { draft, isSecure, texts: { provider: t } }: Expectations,
): readonly ProviderCheck[] {
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
export function judgeIssuer({ issuer }: Metadata, wanted: string, { issuer: t }: Texts): ProviderCheck {
  const check = { id: "issuer", title: t.title } as const;
  const same =
    typeof issuer === "string" && URL.canParse(issuer) && new URL(issuer).href === new URL(wanted).href;
  if (same) return { ...check, state: "passed", detail: t.passed(issuer) };
  if (typeof issuer !== "string") return { ...check, state: "failed", detail: t.none };
  return { ...check, state: "failed", detail: t.other(issuer, wanted), remedy: t.remedy(issuer) };
}

const endpointNames = ["authorization_endpoint", "token_endpoint", "jwks_uri"] as const;

function judgeEndpoints(
  metadata: Metadata,
  isSecure: (url: string) => boolean,
  { endpoints: t }: Texts,
): ProviderCheck {
  const check = { id: "endpoints", title: t.title } as const;
  const optional = metadata["userinfo_endpoint"] === undefined ? [] : ["userinfo_endpoint"];
  const names = [...endpointNames, ...optional];
  const missing = names.filter((name) => typeof metadata[name] !== "string");
  if (missing.length > 0) {
    return { ...check, state: "failed", detail: t.missing(missing) };
  }
  const insecure = names.filter((name) => !isSecure(String(metadata[name])));
  if (insecure.length > 0) {
    return { ...check, state: "failed", detail: t.insecure(insecure) };
  }
  return { ...check, state: "passed", detail: `${names.join(", ")}.` };
}

/** Whether the authorization code flow is offered. */
export function judgeCodeFlow(metadata: Metadata, { codeFlow: t }: Texts): ProviderCheck {
  const check = { id: "code_flow", title: t.title } as const;
  const offered = textsOf(metadata["response_types_supported"]);
  if (offered === undefined || offered.includes("code")) {
    return { ...check, state: "passed", detail: "response_type code." };
  }
  return { ...check, state: "failed", detail: t.failed(offered), remedy: t.remedy };
}

/** Whether codes can be bound to the browser that asked for them. */
export function judgePkce(metadata: Metadata, { pkce: t }: Texts): ProviderCheck {
  const check = { id: "pkce", title: t.title } as const;
  const offered = textsOf(metadata["code_challenge_methods_supported"]);
  if (offered === undefined) return { ...check, state: "warning", detail: t.silent };
  if (offered.includes("S256")) return { ...check, state: "passed", detail: t.passed };
  return { ...check, state: "failed", detail: t.failed(offered), remedy: t.remedy };
}

const algorithm = /^(?:(?:RS|PS|ES)(?:256|384|512)|EdDSA|Ed25519)$/;

function judgeAlgorithms(metadata: Metadata, { algorithms: t }: Texts): ProviderCheck {
  const check = { id: "signing_algorithms", title: t.title } as const;
  const offered = textsOf(metadata["id_token_signing_alg_values_supported"]);
  if (offered === undefined) {
    return { ...check, state: "warning", detail: t.silent };
  }
  const usable = offered.filter((name) => algorithm.test(name));
  if (usable.length > 0) return { ...check, state: "passed", detail: `${usable.join(", ")}.` };
  return { ...check, state: "failed", detail: t.failed(offered), remedy: t.remedy };
}

function judgeAuthentication(
  metadata: Metadata,
  method: IdentityProvider["tokenEndpointAuthMethod"],
  { authentication: t }: Texts,
): ProviderCheck {
  const check = { id: "authentication", title: t.title } as const;
  // OpenID Connect Discovery §3: the default when the metadata does not say.
  const offered = textsOf(metadata["token_endpoint_auth_methods_supported"]) ?? ["client_secret_basic"];
  const wanted = method === null ? ["client_secret_basic", "client_secret_post"] : [method];
  const usable = wanted.filter((name) => offered.includes(name));
  if (usable.length > 0) return { ...check, state: "passed", detail: `${usable.join(", ")}.` };
  // Many providers that take public clients do not say so.
  const state = method === "none" ? "warning" : "failed";
  return { ...check, state, detail: t.failed(offered, wanted), remedy: t.remedy };
}

function judgeScopes(metadata: Metadata, wanted: readonly string[], { scopes: t }: Texts): ProviderCheck {
  const check = { id: "scopes", title: t.title } as const;
  if (!wanted.includes("openid")) {
    return { ...check, state: "failed", detail: t.noOpenid, remedy: t.noOpenidRemedy };
  }
  const offered = textsOf(metadata["scopes_supported"]);
  const unknown = wanted.filter((scope) => offered !== undefined && !offered.includes(scope));
  if (unknown.length === 0) return { ...check, state: "passed", detail: `${wanted.join(", ")}.` };
  return { ...check, state: "warning", detail: t.unknown(unknown) };
}

function judgeClaims(metadata: Metadata, { claims: t, silent }: Texts): ProviderCheck {
  const check = { id: "claims", title: t.title } as const;
  const offered = textsOf(metadata["claims_supported"]);
  const missing = ["email", "email_verified"].filter((claim) => offered?.includes(claim) === false);
  if (missing.length === 0) {
    const detail = offered === undefined ? silent : t.passed;
    return { ...check, state: offered === undefined ? "warning" : "passed", detail };
  }
  return { ...check, state: "warning", detail: t.missing(missing), remedy: t.remedy(missing) };
}

/** The texts of a list; `undefined` when it is none. */
export function textsOf(value: unknown): readonly string[] | undefined {
  return Array.isArray(value) ? value.filter((item) => typeof item === "string") : undefined;
}
