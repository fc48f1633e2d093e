import { parseStrictJson } from "@authz/dpop/jws";
import { isLoopbackHost } from "../outbound/addresses.js";
import { OutboundError } from "../outbound/outbound-error.js";
import type { OutboundFetch } from "../outbound/outbound-fetch.js";
import type { IdentityProvider } from "../store/providers.js";
import { describeCauses, SignInError } from "./sign-in-error.js";
import { judgeMetadata, type Metadata, type ProviderCheck } from "./judge-metadata.js";
import type { Upstream } from "./upstream.js";

/** What is known of a provider before anybody has signed in there. */
export type ProviderDraft = Pick<
  IdentityProvider,
  "issuer" | "discoveryUrl" | "clientId" | "tokenEndpointAuthMethod" | "scopes"
>;

export interface ProviderChecking {
  readonly outboundFetch: OutboundFetch;
  readonly upstream: Upstream;
  /** Where the provider has to send browsers back to. */
  readonly callbackUrl: string;
  /** Plain HTTP on loopback is allowed: development on one machine. */
  readonly allowInsecureLoopback: boolean;
}

/** More metadata than this is none. */
const maximumBytes = 256 * 1024;

/**
 * Looks at everything about a provider that can be seen without signing in: one check per thing that must be right.
 *
 * Stores nothing and sends no secret.
 */
export async function checkProvider(
  draft: ProviderDraft,
  checking: ProviderChecking,
): Promise<readonly ProviderCheck[]> {
  const address = discoveryAddress(draft);
  const read = await fetchDocument(address, checking.outboundFetch);
  if ("fault" in read) {
    return [
      {
        id: "discovery",
        state: "failed",
        title: "The metadata can be read",
        detail: read.fault,
        remedy: "Compare the issuer with the provider's own page, character by character.",
      },
      checkClient(checking),
    ];
  }
  const detail = `${address.href} answers with JSON.`;
  const metadata: Metadata = read.document;
  const isSecure = (url: string) => isSecureUrl(url, checking.allowInsecureLoopback);
  return [
    { id: "discovery", state: "passed", title: "The metadata can be read", detail },
    ...judgeMetadata(metadata, { draft, isSecure }),
    await checkKeys(metadata, checking, isSecure),
    await checkSignIn(draft, checking),
    checkClient(checking),
  ];
}

/** OpenID Connect Discovery §4: the well-known path is appended to the issuer. */
function discoveryAddress({ issuer, discoveryUrl }: ProviderDraft): URL {
  return new URL(discoveryUrl ?? `${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`);
}

type Read = { readonly document: Metadata } | { readonly fault: string };

async function fetchDocument(url: URL, fetch: OutboundFetch): Promise<Read> {
  try {
    const response = await fetch(url, { headers: { accept: "application/json" } });
    if (response.status !== 200) return { fault: `${url.href} answers with status ${response.status}.` };
    const body = new Uint8Array(await response.arrayBuffer());
    if (body.length > maximumBytes) return { fault: `${url.href} answers with more than 256 KiB.` };
    const document = parseJson(body);
    if (document !== undefined) return { document };
    return { fault: `${url.href} does not answer with a JSON object.` };
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error;
    return { fault: error.message };
  }
}

function parseJson(body: Uint8Array): Metadata | undefined {
  try {
    const document = parseStrictJson(body);
    const isObject = typeof document === "object" && document !== null && !Array.isArray(document);
    return isObject ? (document as Metadata) : undefined;
  } catch {
    return undefined;
  }
}

function isSecureUrl(value: string, allowInsecureLoopback: boolean): boolean {
  if (!URL.canParse(value)) return false;
  const { protocol, hostname } = new URL(value);
  return protocol === "https:" || (protocol === "http:" && allowInsecureLoopback && isLoopbackHost(hostname));
}

async function checkKeys(
  { jwks_uri: address }: Metadata,
  { outboundFetch }: ProviderChecking,
  isSecure: (url: string) => boolean,
): Promise<ProviderCheck> {
  const check = { id: "keys", title: "The signing keys can be read" } as const;
  if (typeof address !== "string" || !isSecure(address)) {
    return { ...check, state: "failed", detail: "There is no usable jwks_uri to read them from." };
  }
  const read = await fetchDocument(new URL(address), outboundFetch);
  if ("fault" in read) return { ...check, state: "failed", detail: read.fault };
  const { keys } = read.document;
  if (!Array.isArray(keys) || keys.length === 0) {
    return { ...check, state: "failed", detail: `${address} has no keys.` };
  }
  const number = keys.length === 1 ? "1 key" : `${keys.length} keys`;
  return { ...check, state: "passed", detail: `${address} has ${number}.` };
}

/** The same code as a sign-in, up to where the browser would leave. */
async function checkSignIn(draft: ProviderDraft, { upstream }: ProviderChecking): Promise<ProviderCheck> {
  const check = { id: "sign_in", title: "A sign-in can begin" } as const;
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
    const url = await upstream.authorizationUrl(provider, attempt, undefined);
    return { ...check, state: "passed", detail: `Browsers will be sent to ${url.origin}${url.pathname}.` };
  } catch (error) {
    if (!(error instanceof SignInError)) throw error;
    const [cause = error.message] = describeCauses(error);
    return { ...check, state: "failed", detail: `The metadata is not accepted: ${cause}` };
  }
}

function checkClient({ callbackUrl }: ProviderChecking): ProviderCheck {
  return {
    id: "client",
    state: "warning",
    title: "Client id and secret are not checked",
    detail: "Only a sign-in can show whether the provider knows this client and its secret.",
    remedy: `Register ${callbackUrl} as redirect URI at the provider. Then sign in once in a private window.`,
  };
}
