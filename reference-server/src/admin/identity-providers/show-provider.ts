import { callbackUrlOf } from "../../sign-in/callback.js";
import type { ListedIdentityProvider } from "../../store/providers.js";
import type { Store } from "../../store/store.js";
import { notFound } from "../http/admin-error.js";
import { isoTime } from "../http/list-query.js";
import type { IdentityProvider } from "./schemas.js";

export function showProvider(provider: ListedIdentityProvider, issuer: string): IdentityProvider {
  return {
    key: provider.key,
    name: provider.name,
    buttonLabel: provider.buttonLabel ?? null,
    issuer: provider.issuer,
    discoveryUrl: provider.discoveryUrl,
    clientId: provider.clientId,
    hasClientSecret: provider.clientSecret !== null,
    tokenEndpointAuthMethod: provider.tokenEndpointAuthMethod,
    scopes: [...provider.scopes],
    allowedEmailDomains: [...provider.allowedEmailDomains],
    enabled: provider.enabled,
    people: provider.people,
    callbackUrl: callbackUrlOf(issuer, provider),
    groupProvider: provider.groupProvider,
    createdAt: isoTime(provider.createdAt),
    updatedAt: isoTime(provider.updatedAt),
    version: provider.version,
  };
}

/** @throws {AdminError} `not_found` */
export async function loadProvider(
  store: Store,
  { key, issuer }: { readonly key: string; readonly issuer: string },
): Promise<{ readonly stored: ListedIdentityProvider; readonly shown: IdentityProvider }> {
  const stored = await store.providers.describe(key);
  if (stored === undefined) throw notFound(({ things }) => things.identityProvider(key));
  return { stored, shown: showProvider(stored, issuer) };
}

/** The redirect URI of a provider that may not be stored yet; without its key, with a place for that. */
export async function findCallbackUrl(
  store: Store,
  { key, issuer }: { readonly key: string | undefined; readonly issuer: string },
): Promise<string> {
  const found = key === undefined ? undefined : await store.providers.findByKey(key);
  if (found !== undefined) return callbackUrlOf(issuer, found);
  const ownCallback = await store.providers.isPlainCallbackTaken();
  return callbackUrlOf(issuer, { key: key ?? "{key}", ownCallback });
}
