import type { OutboundFetch } from "../../platform/outbound/outbound-fetch.js";
import { describeCauses, SignInError } from "../../sign-in/identity.js";
import type { Message } from "../../text/message.js";
import { sayBelow } from "../../text/say-below.js";
import type { Check } from "./check.js";
import { judgeMetadata, type Metadata } from "./judge-metadata.js";
import { fetchDocument, isSecureUrl } from "./fetch-document.js";
import type { RelyingParty } from "../../sign-in/relying-party.js";
import type { IdentityProvider } from "../../store/identity-providers.js";
import type { Store } from "../../store/store.js";
import { fault } from "../../objects/check.js";
import { invalid } from "../refusal.js";

/** What can be known of a provider without a sign-in. */
export type ProviderDraft = Pick<
  IdentityProvider,
  "issuer" | "discoveryUrl" | "clientId" | "tokenEndpointAuthMethod" | "scopes"
>;

export interface ProviderChecking {
  readonly outboundFetch: OutboundFetch;
  readonly relyingParty: RelyingParty;
  /** Where the provider has to send browsers back to. */
  readonly callbackUrl: string;
  /** Plain HTTP on loopback is allowed: development on one machine. */
  readonly allowInsecureLoopback: boolean;
  /** In the caller's language. */
  readonly say: (message: Message) => string;
}

/**
 * Looks at everything about a provider that can be seen without signing in: one check per thing that must be right.
 *
 * Stores nothing and sends no secret.
 */
export async function probeProvider(
  draft: ProviderDraft,
  checking: ProviderChecking,
): Promise<readonly Check[]> {
  const { say } = checking;
  const t = sayBelow("administration.provider", say);
  const address = discoveryAddress(draft);
  const read = await fetchDocument(address, checking.outboundFetch);
  if ("fault" in read) {
    return [
      {
        id: "discovery",
        state: "failed",
        title: t("discovery.title"),
        detail: say(read.fault),
        remedy: t("discovery.remedy"),
      },
      checkClient(checking),
    ];
  }
  const detail = t("discovery.passed", { url: address.href });
  const metadata: Metadata = read.document;
  const isSecure = (url: string) => isSecureUrl(url, checking.allowInsecureLoopback);
  return [
    { id: "discovery", state: "passed", title: t("discovery.title"), detail },
    ...judgeMetadata(metadata, { draft, isSecure, t }),
    await checkKeys(metadata, checking, isSecure),
    await checkSignIn(draft, checking),
    checkClient(checking),
  ];
}

/** OpenID Connect Discovery §4: the well-known path is appended to the issuer. */
function discoveryAddress({ issuer, discoveryUrl }: ProviderDraft): URL {
  return new URL(discoveryUrl ?? `${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`);
}

async function checkKeys(
  { jwks_uri: address }: Metadata,
  { outboundFetch, say }: ProviderChecking,
  isSecure: (url: string) => boolean,
): Promise<Check> {
  const t = sayBelow("administration.provider.keys", say);
  const check = { id: "keys", title: t("title") } as const;
  if (typeof address !== "string" || !isSecure(address)) {
    return { ...check, state: "failed", detail: t("noAddress") };
  }
  const read = await fetchDocument(new URL(address), outboundFetch);
  if ("fault" in read) return { ...check, state: "failed", detail: say(read.fault) };
  const { keys } = read.document;
  if (!Array.isArray(keys) || keys.length === 0) {
    return { ...check, state: "failed", detail: t("none", { url: address }) };
  }
  return { ...check, state: "passed", detail: t("passed", { url: address, count: keys.length }) };
}

/** The same code as a sign-in, up to where the browser would leave. */
async function checkSignIn(draft: ProviderDraft, { relyingParty, say }: ProviderChecking): Promise<Check> {
  const t = sayBelow("administration.provider.signIn", say);
  const check = { id: "sign_in", title: t("title") } as const;
  const provider: IdentityProvider = {
    ...draft,
    id: "check",
    key: "check",
    name: "The provider",
    clientSecret: null,
    tokenEndpointAuthMethod: "none",
    allowedEmailDomains: [],
    enabled: true,
  };
  const attempt = { state: "check", nonce: "check", codeVerifier: "check".repeat(10) };
  try {
    const url = await relyingParty.authorizationUrl(provider, attempt, undefined);
    return { ...check, state: "passed", detail: t("passed", { url: `${url.origin}${url.pathname}` }) };
  } catch (error) {
    if (!(error instanceof SignInError)) throw error;
    const [cause = error.message] = describeCauses(error);
    return { ...check, state: "failed", detail: t("failed", { cause }) };
  }
}

function checkClient({ callbackUrl, say }: ProviderChecking): Check {
  const t = sayBelow("administration.provider.client", say);
  return {
    id: "client",
    state: "warning",
    title: t("title"),
    detail: t("detail"),
    remedy: t("remedy", { callbackUrl }),
  };
}

/**
 * Looks at the other address before a provider is moved there, as far as that can be done without a sign-in: whoever finds
 * out afterwards may have no way to sign in. What is disabled can be moved anywhere.
 *
 * @throws {Refusal} `invalid_request`: a check fails.
 */
export async function requireReachable(
  { key, change }: { readonly key: string; readonly change: ProviderChange },
  {
    store,
    checking,
  }: { readonly store: Pick<Store, "identityProviders">; readonly checking: ProviderChecking },
): Promise<void> {
  const found = await store.identityProviders.findByKey(key);
  if (found === undefined || !(change.enabled ?? found.enabled)) return;
  const { issuer = found.issuer, discoveryUrl = found.discoveryUrl, clientId = found.clientId } = change;
  if (issuer === found.issuer && discoveryUrl === found.discoveryUrl) return;
  const { tokenEndpointAuthMethod = found.tokenEndpointAuthMethod, scopes = found.scopes } = change;
  const draft = { issuer, discoveryUrl, clientId, tokenEndpointAuthMethod, scopes };
  const failed = (await probeProvider(draft, checking)).find(({ state }) => state === "failed");
  if (failed === undefined) return;
  const path = issuer === found.issuer ? "discoveryUrl" : "issuer";
  throw invalid(fault(path, "found", { text: failed.detail.replace(/\.$/, "") }));
}

type ProviderChange = {
  readonly [Member in keyof ProviderDraft | "enabled"]?: IdentityProvider[Member] | undefined;
};
