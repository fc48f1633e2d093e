import { setTimeout as delay } from "node:timers/promises";
import type { AuditEvent } from "../../audit/events.js";
import { recordAudit } from "../../audit/record.js";
import type { Connection } from "../../store/connections.js";
import type { Connector } from "../../store/connectors.js";
import type { Store } from "../../store/store.js";
import { VaultError } from "../../platform/vault/key-ring.js";
import type { Revocation } from "../provider/revocation.js";
import { type EndingDependencies, endCredentials } from "./end-credentials.js";

export interface DisconnectDependencies extends EndingDependencies {
  readonly store: Store;
}

/** Who disconnects, for the audit trail. */
export interface DisconnectedBy {
  readonly actor: AuditEvent["actor"];
  readonly clientId?: string;
  readonly requestId?: string;
}

/** A refresh takes no longer, unless its process was killed. */
const maximumWaitSeconds = 16;
const pollMilliseconds = 100;
/** Tokens of a concurrent refresh are revoked in another round. */
const maximumRounds = 3;

/**
 * Disconnects an account: blocks it, revokes its tokens at the third party, and removes the row.
 *
 * @returns `undefined` if it is gone, or another process is disconnecting it
 */
export async function disconnect(
  { connectionId, by }: { readonly connectionId: string; readonly by: DisconnectedBy },
  dependencies: DisconnectDependencies,
): Promise<Revocation | undefined> {
  const { store, clock } = dependencies;
  const blocked = await store.connections.block({ id: connectionId, now: new Date(clock()) });
  return blocked && (await finishDisconnecting({ connection: blocked, by }, dependencies));
}

/** Revokes the tokens of a blocked connection, and removes it. */
export async function finishDisconnecting(
  { connection, by }: { readonly connection: Connection; readonly by: DisconnectedBy },
  dependencies: DisconnectDependencies,
): Promise<Revocation | undefined> {
  const { store } = dependencies;
  const connector = await store.connectors.find(connection.connectorId);
  if (connector === undefined) return undefined;
  for (let round = 0; round < maximumRounds; round += 1) {
    const current = await afterRefresh(connection.id, dependencies);
    if (current === undefined) return undefined;
    const revocation = await endOrReport({ connection: current, connector, by }, dependencies);
    if (revocation === undefined) return undefined;
    if (await remove({ connection: current, connector, revocation, by }, dependencies)) return revocation;
  }
  return undefined;
}

/** Without the key a person gets `unconfirmed` at once; the background loop waits for it, with `undefined`. */
async function endOrReport(
  ending: { readonly connection: Connection; readonly connector: Connector; readonly by: DisconnectedBy },
  dependencies: DisconnectDependencies,
): Promise<Revocation | undefined> {
  const { connection, connector, by } = ending;
  try {
    return await endCredentials(connection, connector, dependencies);
  } catch (error) {
    if (!(error instanceof VaultError)) throw error;
    const named = { connector: connector.key, connectionId: connection.id, problem: error.message };
    if (by.actor.type === "system") {
      dependencies.log.warn(
        { code: "CONNECTIONS_NOT_REMOVED", ...named },
        "Tokens cannot be revoked until their key is back.",
      );
      return undefined;
    }
    dependencies.log.error(
      { code: "REVOCATION_UNCONFIRMED", ...named },
      "Tokens could not be decrypted, so they could not be revoked.",
    );
    return "unconfirmed";
  }
}

/** Waits for a running refresh, so that its tokens are revoked too. */
async function afterRefresh(
  id: string,
  { store, clock }: DisconnectDependencies,
): Promise<Connection | undefined> {
  const giveUpAt = performance.now() + maximumWaitSeconds * 1000;
  for (;;) {
    const connection = await store.connections.find(id);
    if (connection?.state !== "disconnecting") return undefined;
    const { lease, until } = connection.refresh;
    const isRunning = lease !== null && (until?.getTime() ?? 0) > clock();
    if (!isRunning || performance.now() > giveUpAt) return connection;
    await delay(pollMilliseconds);
  }
}

async function remove(
  removal: {
    readonly connection: Connection;
    readonly connector: Connector;
    readonly revocation: Revocation;
    readonly by: DisconnectedBy;
  },
  { store, clock }: DisconnectDependencies,
): Promise<boolean> {
  const { connection, connector, revocation, by } = removal;
  const { id, credentialVersion, userId } = connection;
  return await store.transaction(async (transaction) => {
    if (!(await transaction.connections.remove({ id, credentialVersion }))) return false;
    await recordAudit(transaction, {
      type: "connection.removed",
      outcome: revocation === "unconfirmed" ? "failed" : "success",
      ...by,
      at: new Date(clock()),
      subject: userId,
      data: { connector: connector.key, connectionId: id, revocation },
    });
    return true;
  });
}
