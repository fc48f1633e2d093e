import { recordAudit } from "../../audit/record.js";
import type { ConnectionAttempt } from "../../store/connection-attempts.js";
import type { Connector } from "../../store/connectors.js";
import type { Store } from "../../store/store.js";
import type { ConnectErrorCode } from "./connect-error.js";

/** Ends an attempt without a connection, and records why. Only the first end counts. */
export async function refuseAttempt(
  refusal: {
    readonly attempt: Pick<ConnectionAttempt, "id" | "userId" | "clientId">;
    readonly connector: Pick<Connector, "key">;
    readonly code: ConnectErrorCode;
    readonly requestId: string;
  },
  { store, now }: { readonly store: Store; readonly now: Date },
): Promise<void> {
  const { attempt, connector, code, requestId } = refusal;
  const { id, userId, clientId } = attempt;
  await store.transaction(async (transaction) => {
    const outcome = { state: "failed", error: code } as const;
    if (!(await transaction.connectionAttempts.conclude({ id, outcome }))) return;
    await recordAudit(transaction, {
      type: "connection.refused",
      outcome: "denied",
      actor: { type: "user", id: userId },
      at: now,
      subject: userId,
      ...(clientId !== null && { clientId }),
      requestId,
      data: { connector: connector.key, reason: code },
    });
  });
}
