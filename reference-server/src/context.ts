import type { Clock, ProofChecker } from "@authz/dpop";
import type { Logger } from "pino";
import type { Refusals } from "./audit/refusals.js";
import type { OpenSealKey } from "./audit/seal-key.js";
import type { Config } from "./config/config.js";
import type { Credentials } from "./connectors/refresh/credentials.js";
import type { Vault } from "./platform/vault/vault.js";
import type { Provider } from "./connectors/provider/provider.js";
import type { GroupDirectories } from "./permissions/groups/directories.js";
import type { Presence } from "./lifecycle/presence/presence.js";
import type { ClientDocuments } from "./oauth/clients/metadata-document/client-documents.js";
import type { LiveKeys } from "./oauth/keys/keys.js";
import type { OutboundFetch } from "./platform/outbound/outbound-fetch.js";
import type { RateLimiter } from "./platform/rate-limits/rate-limiter.js";
import type { ProviderKeys } from "./sign-in/provider-keys.js";
import type { OpenStore } from "./store/store.js";

/** What the composition root creates once and passes to every part of the server. */
export interface ServerContext {
  readonly config: Config;
  readonly store: OpenStore;
  readonly keys: LiveKeys;
  readonly credentials: Vault;
  /** The key of the audit trail's seals. */
  readonly openSealKey: OpenSealKey;
  /** Seals the secrets of connectors and connections. Without a key every use fails and names the variable. */
  readonly connectorVault: Vault;
  /** This server as an OAuth client of third parties. */
  readonly connectorProvider: Provider;
  /** Access tokens of connections, refreshed when they must be. */
  readonly connectorCredentials: Credentials;
  /** Groups of people, from directories over HTTP. */
  readonly directories: GroupDirectories;
  /** Whether people are still there, according to their providers. */
  readonly presence: Presence;
  /** The guarded client for every address that comes from a user. */
  readonly outboundFetch: OutboundFetch;
  /** Clients whose id is the address of their metadata document. */
  readonly clientDocuments: ClientDocuments;
  /** Checks DPoP proofs. The statement that acts on a proof stores it, so that all processes together accept it once. */
  readonly proofChecker: ProofChecker;
  /** The keys of identity providers and of the transmitters of their signals, in one cache. */
  readonly providerKeys: ProviderKeys;
  /** Counts requests together with all other processes. */
  readonly rateLimiter: Pick<RateLimiter, "take" | "takeOwn">;
  /** Records refusals up to a limit, and counts the others. */
  readonly refusals: Pick<Refusals, "from">;
  readonly clock: Clock;
  /** How far the clock of this machine is ahead of `clock`, for libraries that read the machine's. */
  readonly clockDifferenceSeconds: () => number;
  readonly log: Logger;
}
