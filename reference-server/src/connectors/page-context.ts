import type { Vault } from "../platform/vault/vault.js";
import type { PageContext } from "../sign-in/page-context.js";
import type { Provider } from "./provider/provider.js";

/** What the pages of connections share. */
export interface ConnectorPageContext extends PageContext {
  readonly connectorVault: Vault;
  readonly connectorProvider: Provider;
}
