import type { PoolUse } from "../platform/http/metrics.js";
import { UnavailableError } from "../platform/http/unavailable-error.js";
import type { AssignmentListStore } from "./assignment-list.js";
import type { AssignmentStore } from "./assignments.js";
import type { AuditArchiveStore } from "./audit-archive.js";
import type { AuditEventStore } from "./audit-events.js";
import type { AuditRefusalStore } from "./audit-refusals.js";
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
import type { RateLimitStore } from "../platform/rate-limits/rate-limiter.js";
import type { RestoredRecordStore } from "./restored-records.js";
import type { ResourceListStore } from "./resource-list.js";
import type { ResourceStore } from "./resources.js";
import type { ScopeListStore } from "./scope-list.js";
import type { ScopeStore } from "./scopes.js";
import type { SealedSecretStore } from "./sealed-secrets.js";
import type { SecretCheckStore } from "./secret-checks.js";
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
  readonly auditArchive: AuditArchiveStore;
  readonly auditEvents: AuditEventStore;
  readonly auditRefusals: AuditRefusalStore;
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
  readonly restoredRecords: RestoredRecordStore;
  readonly scopeLists: ScopeListStore;
  readonly scopes: ScopeStore;
  readonly sealedSecrets: SealedSecretStore;
  readonly secretChecks: SecretCheckStore;
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

/** A store, and its connections. */
export interface OpenStore extends Store {
  /** Writes a row that means nothing, soon or not at all, and says what time it is by the clock of the database. */
  checkWrite(): Promise<Date>;
  /**
   * Runs a background task unless a process is at it already; then the result is `undefined`.
   *
   * The lock ends with its connection, so a process that is killed leaves none; and soon after the process was last
   * heard of, so that one which is cut off leaves none either.
   */
  exclusively<T>(task: string, work: () => Promise<T>): Promise<T | undefined>;
  poolUse(): PoolUse;
  close(): Promise<void>;
}

/** The database cannot be reached or has no connection to give. Answered with 503, never with a refusal. */
export class DatabaseUnavailableError extends UnavailableError {
  override readonly name = "DatabaseUnavailableError";
}
