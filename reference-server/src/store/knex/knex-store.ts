import type { StampEvent } from "../audit-events.js";
import type { OpenStore, Store } from "../store.js";
import { createAssignmentListStore } from "./assignment-list.js";
import { createAssignmentStore } from "./assignments.js";
import { createAuditArchiveStore } from "./audit-archive.js";
import { createAuditEventStore } from "./audit-events.js";
import { createAuditRefusalStore } from "./audit-refusals.js";
import { createAuditSealStore } from "./audit-seals.js";
import { createAuditSearchStore } from "./audit-search.js";
import { createAuthorizationCodeStore } from "./authorization-codes.js";
import { createAuthorizationRequestStore } from "./authorization-requests.js";
import { createBrowserSessionStore } from "./browser-sessions.js";
import { createClientStore } from "./clients.js";
import { createConnectionAttemptStore } from "./connection-attempts.js";
import { createConnectionCallStore } from "./connection-calls.js";
import { createConnectionStore } from "./connections.js";
import { createConnectorStore } from "./connectors.js";
import {
  type Database,
  type DatabaseOptions,
  openDatabase,
  poolUse,
  translateDatabaseError,
} from "./database.js";
import { createDeviceAuthorizationStore } from "./device-authorizations.js";
import { createDpopReplayStore } from "./dpop-replays.js";
import { createExclusiveRunner } from "./exclusively.js";
import { createExpiredRecordStore } from "./expired-records.js";
import { createGrantStore } from "./grants.js";
import { createGroupProviderStore } from "./group-providers.js";
import { createInstallationStore } from "./installation.js";
import { createInstallationCountStore } from "./installation-counts.js";
import { createLogInStore } from "./log-ins.js";
import { createOwnSkillStore } from "./own-skills.js";
import { createPermissionHolderStore } from "./permission-holders.js";
import { createIdentityProviderStore } from "./providers.js";
import { createRedemptionStore } from "./redemptions.js";
import { createRateLimitStore } from "./rate-limits.js";
import { createResourceListStore } from "./resource-list.js";
import { createResourceStore } from "./resources.js";
import { createRestoredRecordStore } from "./restored-records.js";
import { createScopeListStore } from "./scope-list.js";
import { createScopeStore } from "./scopes.js";
import { createSealedSecretStore } from "./sealed-secrets.js";
import { createSecretCheckStore } from "./secret-checks.js";
import { createSettingsStore } from "./settings.js";
import { createSignInAttemptStore } from "./sign-in-attempts.js";
import { createSigningKeyStore } from "./signing-keys.js";
import { createSkillAudienceStore } from "./skill-audience.js";
import { createSkillCatalogStore } from "./skill-catalogs.js";
import { createUserGroupStore } from "./user-groups.js";
import { createUserStore } from "./users.js";
import { createWriteCheck } from "./write-check.js";

type Aggregates = Omit<Store, "transaction">;

/** Each aggregate on one pool or one transaction. A new aggregate is one line here and one in `Store`. */
function createAggregates(database: Database, stamp: StampEvent): Aggregates {
  return {
    assignmentLists: createAssignmentListStore(database),
    assignments: createAssignmentStore(database),
    auditArchive: createAuditArchiveStore(database),
    auditEvents: createAuditEventStore(database, stamp),
    auditRefusals: createAuditRefusalStore(database),
    auditSeals: createAuditSealStore(database),
    auditSearch: createAuditSearchStore(database),
    authorizationCodes: createAuthorizationCodeStore(database),
    authorizationRequests: createAuthorizationRequestStore(database),
    browserSessions: createBrowserSessionStore(database),
    clients: createClientStore(database),
    connectionAttempts: createConnectionAttemptStore(database),
    connectionCalls: createConnectionCallStore(database, stamp),
    connections: createConnectionStore(database),
    connectors: createConnectorStore(database),
    deviceAuthorizations: createDeviceAuthorizationStore(database),
    dpopReplays: createDpopReplayStore(database),
    expiredRecords: createExpiredRecordStore(database),
    grants: createGrantStore(database),
    groupProviders: createGroupProviderStore(database),
    installation: createInstallationStore(database),
    installationCounts: createInstallationCountStore(database),
    logIns: createLogInStore(database),
    ownSkills: createOwnSkillStore(database),
    permissionHolders: createPermissionHolderStore(database),
    providers: createIdentityProviderStore(database),
    redemptions: createRedemptionStore(database, stamp),
    rateLimits: createRateLimitStore(database),
    resourceLists: createResourceListStore(database),
    resources: createResourceStore(database),
    restoredRecords: createRestoredRecordStore(database),
    scopeLists: createScopeListStore(database),
    scopes: createScopeStore(database),
    sealedSecrets: createSealedSecretStore(database),
    secretChecks: createSecretCheckStore(database),
    settings: createSettingsStore(database),
    signInAttempts: createSignInAttemptStore(database),
    signingKeys: createSigningKeyStore(database),
    skillAudience: createSkillAudienceStore(database),
    skillCatalogs: createSkillCatalogStore(database),
    userGroups: createUserGroupStore(database),
    users: createUserStore(database),
  };
}

export interface StoreOptions extends DatabaseOptions {
  /** Proves that events were recorded by this server. Its key stays outside of the database. */
  readonly stampEvent: StampEvent;
}

/** Opens the store on PostgreSQL. Every method throws `DatabaseUnavailableError` while the database is away. */
export function openKnexStore({ stampEvent, ...options }: StoreOptions): OpenStore {
  const database = openDatabase(options);
  return {
    ...guarded(createAggregates(database, stampEvent)),
    transaction: (work) => runTransaction(database, { stampEvent, work }),
    checkWrite: createWriteCheck(database),
    exclusively: createExclusiveRunner(database, { sayEverySeconds: options.statementSeconds ?? 5 }),
    poolUse: () => poolUse(database),
    close: () => database.destroy(),
  };
}

async function runTransaction<T>(
  database: Database,
  { stampEvent, work }: Pick<StoreOptions, "stampEvent"> & { readonly work: (store: Store) => Promise<T> },
): Promise<T> {
  try {
    return await database.transaction(async (transaction) => {
      const store: Store = {
        ...createAggregates(transaction, stampEvent),
        transaction: (inner) => inner(store),
      };
      return await work(store);
    });
  } catch (error) {
    throw translateDatabaseError(error);
  }
}

/**
 * Wraps each method, so that no aggregate can forget to translate the driver's errors. Inside a transaction
 * that is done once, for the transaction: wrapping would cost more than a short one.
 */
function guarded(aggregates: Aggregates): Aggregates {
  const entries = Object.entries(aggregates).map(([name, aggregate]) => [name, guardMethods(aggregate)]);
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
