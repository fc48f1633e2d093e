import { setTimeout as delay } from "node:timers/promises";
import { recordAudit } from "../../audit/record.js";
import type { RefusalRecord } from "../../audit/refusals.js";
import type { ConnectionAttempt } from "../../store/connection-attempts.js";
import type { Connector } from "../../store/connectors.js";
import { DatabaseUnavailableError } from "../../store/database-unavailable-error.js";
import type { Store } from "../../store/store.js";
import type { ConnectErrorCode } from "./connect-error.js";

/** An attempt that ends without a connection, and why. */
export interface RefusedAttempt {
  readonly attempt: Pick<ConnectionAttempt, "id" | "userId" | "clientId">;
  readonly connector: Pick<Connector, "key">;
  readonly code: ConnectErrorCode;
  readonly requestId: string;
  readonly refusals: RefusalRecord;
}

/** Ends an attempt without a connection, and records why. Only the first end counts. */
export async function refuseAttempt(
  refusal: RefusedAttempt,
  { store, now }: { readonly store: Store; readonly now: Date },
): Promise<void> {
  const { attempt, connector, code, requestId, refusals } = refusal;
  const { id, userId, clientId } = attempt;
  const event = {
    type: "connection.refused",
    outcome: "denied",
    actor: { type: "user", id: userId },
    at: now,
    subject: userId,
    ...(clientId !== null && { clientId }),
    requestId,
    data: { connector: connector.key, reason: code },
  } as const;
  const isRecorded = await refusals.admit(event);
  await store.transaction(async (transaction) => {
    const outcome = { state: "failed", error: code } as const;
    const concluded = await transaction.connectionAttempts.conclude({ id, outcome });
    if (concluded && isRecorded) await recordAudit(transaction, event);
  });
}

const settleTries = 5;
const settlePauseMilliseconds = 500;

/**
 * Finds out whether the connection was stored when the database did not confirm it. An attempt ends in one row, with or without a
 * connection, so refusing it either comes first or shows that the connection was stored.
 *
 * @returns whether the account is connected
 * @throws {DatabaseUnavailableError} It is still unknown.
 */
export async function settleAttempt(
  refusal: RefusedAttempt,
  dependencies: { readonly store: Store; readonly now: Date },
): Promise<boolean> {
  const { id, userId } = refusal.attempt;
  for (let tried = 1; ; tried += 1) {
    try {
      await refuseAttempt(refusal, dependencies);
      const settled = await dependencies.store.connectionAttempts.find({ id, userId });
      return settled?.outcome?.state === "connected";
    } catch (error) {
      if (!(error instanceof DatabaseUnavailableError) || tried === settleTries) throw error;
      await delay(settlePauseMilliseconds);
    }
  }
}
