import type { Store } from "../../store/store.js";
import { fault, invalid } from "../../registry/refusal.js";
import { checkProvider, type ProviderChecking } from "./check-provider.js";
import type { CheckedIdentityProviderPatch } from "./schemas.js";

/**
 * Looks at the other address before a provider is moved there, as far as that can be done without a sign-in: whoever finds
 * out afterwards may have no way to sign in. What is disabled can be moved anywhere.
 *
 * @throws {Refusal} `invalid_request`: a check fails.
 */
export async function checkMove(
  { key, change }: { readonly key: string; readonly change: CheckedIdentityProviderPatch },
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
  const failed = (await checkProvider(draft, checking)).find(({ state }) => state === "failed");
  if (failed === undefined) return;
  const path = issuer === found.issuer ? "discoveryUrl" : "issuer";
  throw invalid(fault(path, "found", { text: failed.detail.replace(/\.$/, "") }));
}
