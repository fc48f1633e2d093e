import { callbackUrlOf } from "../../connectors/provider/callback-url.js";
import type { ServerContext } from "../../context.js";
import type { OutboundFetch } from "../../platform/outbound/outbound-fetch.js";
import { fetchDocument, isSecureUrl, type Read } from "../identity-providers/read-metadata.js";
import { textsOf } from "../identity-providers/judge-metadata.js";
import type { AdminTexts } from "../texts/texts.js";
import { judgeThirdParty } from "./judge-third-party.js";
import type { ConnectorCheck, ConnectorDiscovery } from "./schemas.js";

/** More would be a catalog, not a list to choose from. */
const maximumScopes = 1000;

/** Reads what a third party says about itself, and says what is missing. Stores nothing and sends no secret. */
export async function discoverConnector(
  { issuer, key = "{key}" }: { readonly issuer: string; readonly key?: string | undefined },
  {
    context,
    texts,
  }: { readonly context: Pick<ServerContext, "config" | "outboundFetch">; readonly texts: AdminTexts },
): Promise<ConnectorDiscovery> {
  const { allowInsecureLoopback, issuer: own } = context.config;
  const callbackUrl = callbackUrlOf(own, key);
  const client = checkClient(callbackUrl, texts);
  const { discovery: t } = texts.provider;
  const title = { id: "discovery", title: t.title };
  const { url, read } = await readMetadata(issuer, context.outboundFetch);
  if ("fault" in read) {
    const failed: ConnectorCheck = { ...title, state: "failed", detail: read.fault(texts), remedy: t.remedy };
    return { ready: false, checks: [failed, client], draft: null, scopesSupported: [], callbackUrl };
  }
  const isUsable = (value: string) => isSecureUrl(value, allowInsecureLoopback) && !/[?#@]/.test(value);
  const { checks: judged, draft } = judgeThirdParty(read.document, { issuer, isUsable, texts });
  const checks = [{ ...title, state: "passed" as const, detail: t.passed(url.href) }, ...judged, client];
  return {
    ready: draft !== null && checks.every(({ state }) => state !== "failed"),
    checks,
    draft,
    scopesSupported: (textsOf(read.document["scopes_supported"]) ?? []).slice(0, maximumScopes),
    callbackUrl,
  };
}

/** OpenID Connect Discovery §4 appends the well-known path; RFC 8414 §3.1 puts it between host and path. */
async function readMetadata(
  issuer: string,
  fetch: OutboundFetch,
): Promise<{ readonly url: URL; readonly read: Read }> {
  const { origin, pathname } = new URL(issuer);
  const path = pathname.replace(/\/+$/, "");
  const openId = new URL(`${origin}${path}/.well-known/openid-configuration`);
  const first = { url: openId, read: await fetchDocument(openId, fetch) };
  if ("document" in first.read) return first;
  const oauth = new URL(`${origin}/.well-known/oauth-authorization-server${path}`);
  const second = { url: oauth, read: await fetchDocument(oauth, fetch) };
  return "document" in second.read ? second : first;
}

function checkClient(callbackUrl: string, { thirdParty: { client: t } }: AdminTexts): ConnectorCheck {
  return { id: "client", state: "warning", title: t.title, detail: t.detail, remedy: t.remedy(callbackUrl) };
}
