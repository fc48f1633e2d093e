import type { PoolUse } from "../platform/http/metrics.js";
import { createAccessListStore } from "./access-lists.js";
import { createAccessRequestStore } from "./access-requests.js";
import { createAppHostStore } from "./app-hosts.js";
import { createAppRequestStore } from "./app-requests.js";
import { createApprovalStore } from "./approvals.js";
import { createAssignmentStore } from "./assignments.js";
import { createAuditArchiveStore } from "./audit-archive.js";
import { createAuditEventStore, type StampEvent } from "./audit-events.js";
import { createAuditRefusalStore } from "./audit-refusals.js";
import { createAuditSealStore } from "./audit-seals.js";
import { createAuditSearchStore } from "./audit-search.js";
import { createAuthorizationCodeStore } from "./authorization-codes.js";
import { createAuthorizationRequestStore } from "./authorization-requests.js";
import { createBrowserSessionStore } from "./browser-sessions.js";
import { createClientDocumentStore } from "./client-documents.js";
import { createClientStore } from "./clients.js";
import { createConnectionAttemptStore } from "./connection-attempts.js";
import { createConnectionStore } from "./connections.js";
import { createConnectorTestStore } from "./connector-tests.js";
import { createConnectorStore } from "./connectors.js";
import { createConsentStore } from "./consents.js";
import { createDeviceAuthorizationStore } from "./device-authorizations.js";
import { createDpopReplayStore } from "./dpop-replays.js";
import { createExpiredRecordStore } from "./expired-records.js";
import { createForwardedCallStore } from "./forwarded-calls.js";
import { createGrantStore } from "./grants.js";
import { createGroupProviderStore } from "./group-providers.js";
import { createIdentityProviderStore } from "./identity-providers.js";
import { createInstallationStore } from "./installation.js";
import { createNotificationStore } from "./notifications.js";
import { createOwnSkillStore } from "./own-skills.js";
import { createOwnerStore } from "./owners.js";
import { createPermissionHolderStore } from "./permission-holders.js";
import {
  type Database,
  type DatabaseOptions,
  openDatabase,
  poolUse,
  translateDatabaseError,
} from "./postgres/database.js";
import { createExclusiveRunner } from "./postgres/exclusively.js";
import { createWriteCheck } from "./postgres/write-check.js";
import { createPresenceStore } from "./presences.js";
import { createProposalStore } from "./proposals.js";
import { createProviderTestStore } from "./provider-tests.js";
import { createProvisionedGroupStore } from "./provisioned-groups.js";
import { createProvisionedUserStore } from "./provisioned-users.js";
import { createProvisioningCredentialStore } from "./provisioning-credentials.js";
import { createRateLimitStore } from "./rate-limits.js";
import { createRedemptionStore } from "./redemptions.js";
import { createResourceStore } from "./resources.js";
import { createRestoredRecordStore } from "./restored-records.js";
import { createSavedViewStore } from "./saved-views.js";
import { createScopeStore } from "./scopes.js";
import { createSealedSecretStore } from "./sealed-secrets.js";
import { createSecretCheckStore } from "./secret-checks.js";
import { createSettingsStore } from "./settings.js";
import { createSignInAttemptStore } from "./sign-in-attempts.js";
import { createSignInTestStore } from "./sign-in-tests.js";
import { createSignalStreamStore } from "./signal-streams.js";
import { createSigningKeyStore } from "./signing-keys.js";
import { createSkillCatalogStore } from "./skill-catalogs.js";
import { createStatusListStore } from "./status-list.js";
import { createStopStore } from "./stops.js";
import { createTokenRequestStore } from "./token-requests.js";
import { createUsageStore } from "./usage.js";
import { createUserGroupStore } from "./user-groups.js";
import { createUserStore } from "./users.js";

/** The factory of each aggregate, for a pool or a transaction. A new aggregate is one file and one line here. */
const factories = {
  accessLists: createAccessListStore,
  accessRequests: createAccessRequestStore,
  appHosts: createAppHostStore,
  appRequests: createAppRequestStore,
  approvals: createApprovalStore,
  assignments: createAssignmentStore,
  auditArchive: createAuditArchiveStore,
  auditEvents: createAuditEventStore,
  auditRefusals: createAuditRefusalStore,
  auditSeals: createAuditSealStore,
  auditSearch: createAuditSearchStore,
  authorizationCodes: createAuthorizationCodeStore,
  authorizationRequests: createAuthorizationRequestStore,
  browserSessions: createBrowserSessionStore,
  clientDocuments: createClientDocumentStore,
  clients: createClientStore,
  connectionAttempts: createConnectionAttemptStore,
  connections: createConnectionStore,
  connectorTests: createConnectorTestStore,
  connectors: createConnectorStore,
  consents: createConsentStore,
  deviceAuthorizations: createDeviceAuthorizationStore,
  dpopReplays: createDpopReplayStore,
  expiredRecords: createExpiredRecordStore,
  forwardedCalls: createForwardedCallStore,
  grants: createGrantStore,
  groupProviders: createGroupProviderStore,
  identityProviders: createIdentityProviderStore,
  installation: createInstallationStore,
  notifications: createNotificationStore,
  ownSkills: createOwnSkillStore,
  owners: createOwnerStore,
  permissionHolders: createPermissionHolderStore,
  presences: createPresenceStore,
  proposals: createProposalStore,
  providerTests: createProviderTestStore,
  provisionedGroups: createProvisionedGroupStore,
  provisionedUsers: createProvisionedUserStore,
  provisioningCredentials: createProvisioningCredentialStore,
  rateLimits: createRateLimitStore,
  redemptions: createRedemptionStore,
  resources: createResourceStore,
  restoredRecords: createRestoredRecordStore,
  savedViews: createSavedViewStore,
  scopes: createScopeStore,
  sealedSecrets: createSealedSecretStore,
  secretChecks: createSecretCheckStore,
  settings: createSettingsStore,
  signInAttempts: createSignInAttemptStore,
  signInTests: createSignInTestStore,
  signalStreams: createSignalStreamStore,
  signingKeys: createSigningKeyStore,
  skillCatalogs: createSkillCatalogStore,
  statusList: createStatusListStore,
  stops: createStopStore,
  tokenRequests: createTokenRequestStore,
  usage: createUsageStore,
  userGroups: createUserGroupStore,
  users: createUserStore,
};

type Name = keyof typeof factories;
type Aggregates = { readonly [Aggregate in Name]: ReturnType<(typeof factories)[Aggregate]> };

const names = Object.keys(factories) as Name[];

/**
 * Everything the server keeps, by aggregate.
 *
 * A method is one statement wherever single use or a counter is decided. Several methods that belong
 * together run inside `transaction`.
 */
export interface Store extends Aggregates {
  /**
   * Runs `work` in one transaction; an error rolls everything back.
   *
   * Use the store that `work` is given. Inside a transaction, `transaction` joins the running one.
   */
  transaction<T>(work: (store: Store) => Promise<T>): Promise<T>;
}

/** A store, and its connections. */
export interface OpenStore extends Store {
  /** Writes a meaningless row, and returns the time by the clock of the database. Fails early. */
  checkWrite(): Promise<Date>;
  /**
   * Runs a background task unless another process is running it; then the result is `undefined`.
   *
   * The lock ends with its connection, so a killed process leaves none; and soon after the last heartbeat, so that a process that is cut
   * off leaves none either.
   */
  exclusively<T>(task: string, work: () => Promise<T>): Promise<T | undefined>;
  poolUse(): PoolUse;
  close(): Promise<void>;
}

export interface StoreOptions extends DatabaseOptions {
  /** Proves that events were recorded by this server. Its key stays outside of the database. */
  readonly stampEvent: StampEvent;
}

/** Opens the store on PostgreSQL. Every method throws `DatabaseUnavailableError` while the database is away. */
export function openStore({ stampEvent, ...options }: StoreOptions): OpenStore {
  const database = openDatabase(options);
  return {
    ...createGuardedAggregates(database, stampEvent),
    transaction: (work) => runTransaction({ database, stampEvent, work }),
    checkWrite: createWriteCheck(database),
    exclusively: createExclusiveRunner(database, { heartbeatSeconds: options.statementSeconds ?? 5 }),
    poolUse: () => poolUse(database),
    close: () => database.destroy(),
  };
}

interface Connected {
  readonly database: Database;
  readonly stampEvent: StampEvent;
}

async function runTransaction<T>({
  database,
  stampEvent,
  work,
}: Connected & { readonly work: (store: Store) => Promise<T> }): Promise<T> {
  try {
    return await database.transaction((transaction) =>
      work(createTransactionStore({ database: transaction, stampEvent })),
    );
  } catch (error) {
    throw translateDatabaseError(error);
  }
}

/** Creates an aggregate on first use: most transactions need two or three. */
const lazyAggregates: object = Object.defineProperties(
  {},
  Object.fromEntries(
    names.map((name) => [
      name,
      {
        get(this: Connected) {
          const value = factories[name](this.database, this.stampEvent);
          Object.defineProperty(this, name, { value });
          return value;
        },
      },
    ]),
  ),
);

function createTransactionStore(connected: Connected): Store {
  const store = Object.assign(Object.create(lazyAggregates) as Aggregates, connected, {
    transaction: <T>(work: (store: Store) => Promise<T>): Promise<T> => work(store),
  });
  return store;
}

/**
 * Wraps each method, so that no aggregate can forget to translate the driver's errors. Inside a transaction
 * that is done once, for the transaction: wrapping would cost more than a short one.
 */
function createGuardedAggregates(database: Database, stampEvent: StampEvent): Aggregates {
  const entries = names.map((name) => [name, guardMethods(factories[name](database, stampEvent))]);
  return Object.fromEntries(entries) as Aggregates;
}

function guardMethods(aggregate: object): object {
  const methods = Object.entries(aggregate).map(([name, method]) => {
    const call = method as (...input: unknown[]) => Promise<unknown>;
    const guardedCall = async (...input: unknown[]): Promise<unknown> => {
      try {
        return await call(...input);
      } catch (error) {
        throw translateDatabaseError(error);
      }
    };
    return [name, guardedCall];
  });
  return Object.fromEntries(methods) as object;
}
