import type { AssignmentListStore } from "./assignment-list.js";
import type { AssignmentStore } from "./assignments.js";
import type { AuditEventStore } from "./audit-events.js";
import type { AuditSealStore } from "./audit-seals.js";
import type { AuditSearchStore } from "./audit-search.js";
import type { AuthorizationCodeStore } from "./authorization-codes.js";
import type { AuthorizationRequestStore } from "./authorization-requests.js";
import type { BrowserSessionStore } from "./browser-sessions.js";
import type { ClientStore } from "./clients.js";
import type { ConnectionAttemptStore } from "./connection-attempts.js";
import type { ConnectionCallStore } from "./connection-calls.js";
import type { ConnectionStore } from "./connections.js";
import type { ConnectorStore } from "./connectors.js";
import type { DeviceAuthorizationStore } from "./device-authorizations.js";
import type { DpopReplayStore } from "./dpop-replays.js";
import type { ExpiredRecordStore } from "./expired-records.js";
import type { GrantStore } from "./grants.js";
import type { GroupProviderStore } from "./group-providers.js";
import type { InstallationStore } from "./installation.js";
import type { InstallationCountStore } from "./installation-counts.js";
import type { LogInStore } from "./log-ins.js";
import type { OwnSkillStore } from "./own-skills.js";
import type { PermissionHolderStore } from "./permission-holders.js";
import type { IdentityProviderStore } from "./providers.js";
import type { RedemptionStore } from "./redemptions.js";
import type { RateLimitStore } from "./rate-limits.js";
import type { ResourceListStore } from "./resource-list.js";
import type { ResourceStore } from "./resources.js";
import type { ScopeListStore } from "./scope-list.js";
import type { ScopeStore } from "./scopes.js";
import type { SettingsStore } from "./settings.js";
import type { SignInAttemptStore } from "./sign-in-attempts.js";
import type { SigningKeyStore } from "./signing-keys.js";
import type { SkillAudienceStore } from "./skill-audience.js";
import type { SkillCatalogStore } from "./skill-catalogs.js";
import type { UserGroupStore } from "./user-groups.js";
import type { UserStore } from "./users.js";

/**
 * Everything the server keeps, one small interface per aggregate.
 *
 * A method is one statement wherever single use or a counter is decided. Several methods that belong
 * together run inside `transaction`.
 */
export interface Store {
  readonly assignmentLists: AssignmentListStore;
  readonly assignments: AssignmentStore;
  readonly auditEvents: AuditEventStore;
  readonly auditSeals: AuditSealStore;
  readonly auditSearch: AuditSearchStore;
  readonly authorizationCodes: AuthorizationCodeStore;
  readonly authorizationRequests: AuthorizationRequestStore;
  readonly browserSessions: BrowserSessionStore;
  readonly clients: ClientStore;
  readonly connectionAttempts: ConnectionAttemptStore;
  readonly connectionCalls: ConnectionCallStore;
  readonly connections: ConnectionStore;
  readonly connectors: ConnectorStore;
  readonly deviceAuthorizations: DeviceAuthorizationStore;
  readonly dpopReplays: DpopReplayStore;
  readonly expiredRecords: ExpiredRecordStore;
  readonly grants: GrantStore;
  readonly groupProviders: GroupProviderStore;
  readonly installation: InstallationStore;
  readonly installationCounts: InstallationCountStore;
  readonly logIns: LogInStore;
  readonly ownSkills: OwnSkillStore;
  readonly permissionHolders: PermissionHolderStore;
  readonly providers: IdentityProviderStore;
  readonly redemptions: RedemptionStore;
  readonly rateLimits: RateLimitStore;
  readonly resourceLists: ResourceListStore;
  readonly resources: ResourceStore;
  readonly scopeLists: ScopeListStore;
  readonly scopes: ScopeStore;
  readonly settings: SettingsStore;
  readonly signInAttempts: SignInAttemptStore;
  readonly signingKeys: SigningKeyStore;
  readonly skillAudience: SkillAudienceStore;
  readonly skillCatalogs: SkillCatalogStore;
  readonly userGroups: UserGroupStore;
  readonly users: UserStore;

  /**
   * Runs `work` in one transaction; what it throws rolls everything back.
   *
   * Use the store that `work` is given. Inside a transaction, `transaction` joins the running one.
   */
  transaction<T>(work: (store: Store) => Promise<T>): Promise<T>;
}

/** How the connections to the database are used at one moment. */
export interface PoolUse {
  readonly used: number;
  readonly idle: number;
  /** Pieces of work that wait for a connection. */
  readonly waiting: number;
}

/** A store, and its connections. */
export interface OpenStore extends Store {
  /** Resolves when the database answers. */
  ping(): Promise<void>;
  /**
   * Runs a background task unless a process is at it already; then the result is `undefined`.
   *
   * The lock ends with its connection, so a process that is killed leaves none.
   */
  exclusively<T>(task: string, work: () => Promise<T>): Promise<T | undefined>;
  poolUse(): PoolUse;
  close(): Promise<void>;
}

/** The database cannot be reached or has no connection to give. Answered with 503, never with a refusal. */
export class DatabaseUnavailableError extends Error {
  override readonly name = "DatabaseUnavailableError";
}
