import { callbackUrlOf } from "../../connectors/provider/callback-url.js";
import type { ServerContext } from "../../context.js";
import type { OutboundFetch } from "../../platform/outbound/outbound-fetch.js";
import { fetchDocument, isSecureUrl, type Read } from "./fetch-document.js";
import { stringsOf } from "./judge-metadata.js";
import type { Message } from "../../text/message.js";
import { sayBelow } from "../../text/say-below.js";
import { type Check, isReady } from "./check.js";
import { judgeThirdParty, type ThirdPartyDraft } from "./judge-third-party.js";

/** More would be a catalog, not a list to choose from. */
const maximumScopes = 1000;

/** What a third party says about itself, and what of it a connector can be made of. */
export interface ThirdPartyDiscovery {
  readonly ready: boolean;
  readonly checks: Check[];
  /** `null`: it does not say enough. */
  readonly draft: ThirdPartyDraft | null;
  readonly scopesSupported: string[];
  readonly callbackUrl: string;
}

/** Reads what a third party says about itself, and says what is missing. Stores nothing and sends no secret. */
export async function probeThirdParty(
  { issuer, key = "{key}" }: { readonly issuer: string; readonly key?: string | undefined },
  {
    context,
    say,
  }: {
    readonly context: Pick<ServerContext, "config" | "outboundFetch">;
    readonly say: (message: Message) => string;
  },
): Promise<ThirdPartyDiscovery> {
  const { allowInsecureLoopback, issuer: own } = context.config;
  const callbackUrl = callbackUrlOf(own, key);
  const client = checkClient(callbackUrl, say);
  const t = sayBelow("administration.provider.discovery", say);
  const title = { id: "discovery", title: t("title") };
  const { url, read } = await readMetadata(issuer, context.outboundFetch);
  if ("fault" in read) {
    const failed: Check = {
      ...title,
      state: "failed",
      detail: say(read.fault),
      remedy: t("remedy"),
    };
    return { ready: false, checks: [failed, client], draft: null, scopesSupported: [], callbackUrl };
  }
  const isUsable = (value: string) => isSecureUrl(value, allowInsecureLoopback) && !/[?#@]/.test(value);
  const { checks: judged, draft } = judgeThirdParty(read.document, { issuer, isUsable, say });
  const checks = [
    { ...title, state: "passed" as const, detail: t("passed", { url: url.href }) },
    ...judged,
    client,
  ];
  return {
    ready: draft !== null && isReady(checks),
    checks,
    draft,
    scopesSupported: (stringsOf(read.document["scopes_supported"]) ?? []).slice(0, maximumScopes),
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

function checkClient(callbackUrl: string, say: (message: Message) => string): Check {
  const t = sayBelow("administration.thirdParty.client", say);
  const remedy = t("remedy", { callbackUrl });
  return { id: "client", state: "warning", title: t("title"), detail: t("detail"), remedy };
}
