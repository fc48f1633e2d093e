import type { IdentityProvider } from "../../store/identity-providers.js";
import type { Store } from "../../store/store.js";
import { fault } from "../../objects/check.js";
import { invalid } from "../refusal.js";
import { probeProvider, type ProviderChecking, type ProviderDraft } from "./probe-provider.js";

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
