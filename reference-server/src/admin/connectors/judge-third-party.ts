import {
  judgeCodeFlow,
  judgeIssuer,
  judgePkce,
  type Metadata,
  textsOf,
} from "../identity-providers/judge-metadata.js";
import type { AdminTexts } from "../texts/texts.js";
import type { ConnectorCheck, ConnectorDiscovery } from "./schemas.js";

type Draft = NonNullable<ConnectorDiscovery["draft"]>;

interface Expectations {
  /** As the administrator typed it. */
  readonly issuer: string;
  /** Whether an address may become an endpoint. */
  readonly isUsable: (url: string) => boolean;
  readonly texts: AdminTexts;
}

/** Judges what a third party says about itself, for somebody who wants to connect accounts there. */
export function judgeThirdParty(
  metadata: Metadata,
  { issuer, isUsable, texts }: Expectations,
): { readonly checks: readonly ConnectorCheck[]; readonly draft: Draft | null } {
  const method = chooseMethod(metadata);
  const checks = [
    judgeIssuer(metadata, issuer, texts.provider),
    judgeEndpoints(metadata, isUsable, texts),
    judgeCodeFlow(metadata, texts.provider),
    judgePkce(metadata, texts.provider),
    judgeAuthentication(method, metadata, texts),
    judgeRefreshing(metadata, texts),
    judgeRevocation(metadata, isUsable, texts),
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

function judgeEndpoints(
  metadata: Metadata,
  isUsable: (url: string) => boolean,
  { provider: { endpoints: t } }: AdminTexts,
): ConnectorCheck {
  const check = { id: "endpoints", title: t.title };
  const names = ["authorization_endpoint", "token_endpoint"];
  const missing = names.filter((name) => typeof metadata[name] !== "string");
  if (missing.length > 0) return { ...check, state: "failed", detail: t.missing(missing) };
  const insecure = names.filter((name) => !isUsable(String(metadata[name])));
  if (insecure.length > 0) return { ...check, state: "failed", detail: t.insecure(insecure) };
  return { ...check, state: "passed", detail: `${names.join(", ")}.` };
}

const knownMethods = ["client_secret_basic", "client_secret_post", "none"] as const;

/** Of what is offered, the first that this server can do. */
function chooseMethod(metadata: Metadata): (typeof knownMethods)[number] | undefined {
  // RFC 8414 §2: the default when the metadata does not say.
  const offered = textsOf(metadata["token_endpoint_auth_methods_supported"]) ?? ["client_secret_basic"];
  return knownMethods.find((method) => offered.includes(method));
}

function judgeAuthentication(
  method: string | undefined,
  metadata: Metadata,
  { provider: { authentication: t } }: AdminTexts,
): ConnectorCheck {
  const check = { id: "authentication", title: t.title };
  if (method !== undefined) return { ...check, state: "passed", detail: `${method}.` };
  const offered = textsOf(metadata["token_endpoint_auth_methods_supported"]) ?? [];
  const wanted = ["client_secret_basic", "client_secret_post"];
  return { ...check, state: "failed", detail: t.failed(offered, wanted), remedy: t.remedy };
}

function judgeRefreshing(metadata: Metadata, { thirdParty: { refresh: t } }: AdminTexts): ConnectorCheck {
  const check = { id: "refresh", title: t.title };
  const offered = textsOf(metadata["grant_types_supported"]);
  if (offered === undefined) return { ...check, state: "warning", detail: t.silent, remedy: t.remedy };
  if (offered.includes("refresh_token")) return { ...check, state: "passed", detail: t.passed };
  return { ...check, state: "warning", detail: t.missing(offered), remedy: t.remedy };
}

function judgeRevocation(
  { revocation_endpoint: endpoint }: Metadata,
  isUsable: (url: string) => boolean,
  { thirdParty: { revocation: t } }: AdminTexts,
): ConnectorCheck {
  const check = { id: "revocation", title: t.title };
  if (typeof endpoint === "string" && isUsable(endpoint))
    return { ...check, state: "passed", detail: t.passed };
  return { ...check, state: "warning", detail: t.none, remedy: t.remedy };
}
