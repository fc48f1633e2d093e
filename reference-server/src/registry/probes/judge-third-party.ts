import type { Check } from "./check.js";
import type { TokenEndpointAuthMethod } from "../../store/identity-providers.js";
import {
  judgeCodeFlow,
  judgeIssuer,
  judgePkce,
  type Metadata,
  stringsOf,
  type Texts,
} from "./judge-metadata.js";
import type { Message } from "../../text/message.js";
import { type SayBelow, sayBelow } from "../../text/say-below.js";

type OwnTexts = SayBelow<"administration.thirdParty">;

/** What a connector can be made of, as far as the third party says it. */
export interface ThirdPartyDraft {
  readonly issuer: string;
  readonly authorizationEndpoint: string;
  readonly tokenEndpoint: string;
  readonly revocationEndpoint: string | null;
  readonly accountEndpoint: string | null;
  readonly tokenEndpointAuthMethod: TokenEndpointAuthMethod;
}

interface Expectations {
  /** As the administrator typed it. */
  readonly issuer: string;
  /** Whether an address may become an endpoint. */
  readonly isUsable: (url: string) => boolean;
  readonly say: (message: Message) => string;
}

/** Judges a third party's metadata before a connector is registered. */
export function judgeThirdParty(
  metadata: Metadata,
  { issuer, isUsable, say }: Expectations,
): { readonly checks: readonly Check[]; readonly draft: ThirdPartyDraft | null } {
  const method = chooseMethod(metadata);
  const t = sayBelow("administration.provider", say);
  const own = sayBelow("administration.thirdParty", say);
  const checks = [
    judgeIssuer(metadata, issuer, t),
    judgeEndpoints(metadata, isUsable, t),
    judgeCodeFlow(metadata, t),
    judgePkce(metadata, t),
    judgeAuthentication(method, metadata, t),
    judgeRefreshing(metadata, own),
    judgeRevocation(metadata, isUsable, own),
  ];
  const { authorization_endpoint: authorizationEndpoint, token_endpoint: tokenEndpoint } = metadata;
  const failed = (id: string) => checks.some((check) => check.id === id && check.state === "failed");
  if (failed("issuer") || failed("endpoints")) return { checks, draft: null };
  const optional = (name: string) => {
    const value = metadata[name];
    return typeof value === "string" && isUsable(value) ? value : null;
  };
  return {
    checks,
    draft: {
      // In its own spelling: that is what its answers are compared with.
      issuer: String(metadata["issuer"]),
      authorizationEndpoint: String(authorizationEndpoint),
      tokenEndpoint: String(tokenEndpoint),
      revocationEndpoint: optional("revocation_endpoint"),
      accountEndpoint: optional("userinfo_endpoint"),
      tokenEndpointAuthMethod: method ?? "client_secret_basic",
    },
  };
}

function judgeEndpoints(metadata: Metadata, isUsable: (url: string) => boolean, t: Texts): Check {
  const check = { id: "endpoints", title: t("endpoints.title") };
  const names = ["authorization_endpoint", "token_endpoint"];
  const missing = names.filter((name) => typeof metadata[name] !== "string");
  if (missing.length > 0)
    return { ...check, state: "failed", detail: t("endpoints.missing", { names: missing }) };
  const insecure = names.filter((name) => !isUsable(String(metadata[name])));
  if (insecure.length > 0)
    return { ...check, state: "failed", detail: t("endpoints.insecure", { names: insecure }) };
  return { ...check, state: "passed", detail: `${names.join(", ")}.` };
}

const knownMethods = ["client_secret_basic", "client_secret_post", "none"] as const;

/** Of what is offered, the first that this server can do. */
function chooseMethod(metadata: Metadata): (typeof knownMethods)[number] | undefined {
  // RFC 8414 §2: the default when the metadata does not say.
  const offered = stringsOf(metadata["token_endpoint_auth_methods_supported"]) ?? ["client_secret_basic"];
  return knownMethods.find((method) => offered.includes(method));
}

function judgeAuthentication(method: string | undefined, metadata: Metadata, t: Texts): Check {
  const check = { id: "authentication", title: t("authentication.title") };
  if (method !== undefined) return { ...check, state: "passed", detail: `${method}.` };
  const offered = stringsOf(metadata["token_endpoint_auth_methods_supported"]) ?? [];
  const wanted = ["client_secret_basic", "client_secret_post"];
  return {
    ...check,
    state: "failed",
    detail: t("authentication.failed", { offered, count: offered.length, wanted: { any: wanted } }),
    remedy: t("authentication.remedy"),
  };
}

function judgeRefreshing(metadata: Metadata, t: OwnTexts): Check {
  const check = { id: "refresh", title: t("refresh.title") };
  const offered = stringsOf(metadata["grant_types_supported"]);
  if (offered === undefined)
    return { ...check, state: "warning", detail: t("refresh.silent"), remedy: t("refresh.remedy") };
  if (offered.includes("refresh_token")) return { ...check, state: "passed", detail: t("refresh.passed") };
  return {
    ...check,
    state: "warning",
    detail: t("refresh.missing", { offered }),
    remedy: t("refresh.remedy"),
  };
}

function judgeRevocation(
  { revocation_endpoint: endpoint }: Metadata,
  isUsable: (url: string) => boolean,
  t: OwnTexts,
): Check {
  const check = { id: "revocation", title: t("revocation.title") };
  if (typeof endpoint === "string" && isUsable(endpoint))
    return { ...check, state: "passed", detail: t("revocation.passed") };
  return { ...check, state: "warning", detail: t("revocation.none"), remedy: t("revocation.remedy") };
}
