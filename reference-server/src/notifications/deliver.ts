import type { Clock } from "@authz/dpop";
import type { Logger } from "pino";
import { recordAudit } from "../audit/record.js";
import type { Config } from "../config/config.js";
import type { ClaimedNotification } from "../store/notifications.js";
import type { OpenStore } from "../store/store.js";

interface DeliverOptions {
  readonly store: Pick<OpenStore, "notifications" | "transaction">;
  readonly channels: Channels;
  readonly clock: Clock;
  readonly log: Pick<Logger, "warn">;
}

/** Maximum concurrent deliveries: a receiver that hangs delays no more than these. */
const mostAtOnce = 8;
/** Maximum age of a message. */
const giveUpSeconds = 24 * 3600;

/** Seconds from one attempt to the next; the last one repeats. */
const waits = [10, 30, 120, 600, 1800, 3600, 7200, 14_400] as const;

/**
 * Sends what is due. Several processes may do so at once: each message is claimed by one of them, and one whose process ends in the
 * middle is sent again a minute later.
 */
export async function deliverDue(options: DeliverOptions, signal?: AbortSignal): Promise<void> {
  const isStopping = () => signal?.aborted === true;
  let more = true;
  while (more && !isStopping()) {
    const claimed = await options.store.notifications.claim(mostAtOnce);
    await Promise.all(claimed.map((message) => deliver(message, options)));
    more = claimed.length === mostAtOnce;
  }
}

async function deliver(message: ClaimedNotification, options: DeliverOptions): Promise<void> {
  const { store, channels, log } = options;
  const { id, type, channel, attempts } = message;
  const send = channels[channel];
  if (send === undefined) return await giveUp(message, "not_configured", options);
  // A restored database can bring old ones back.
  if (message.ageSeconds >= giveUpSeconds) return await giveUp(message, "too_late", options);
  try {
    await send(message);
  } catch (error) {
    if (!(error instanceof DeliveryError)) throw error;
    const { reason, final } = error;
    if (final) return await giveUp(message, reason, options);
    const seconds = waits[Math.min(attempts, waits.length) - 1] ?? waits[0];
    await store.notifications.postpone(message, seconds);
    log.warn(
      {
        code: "NOTIFICATION_NOT_DELIVERED",
        notification: id,
        event: type,
        channel,
        attempts,
        reason,
        seconds,
      },
      "A notification was not delivered; trying again.",
    );
    return;
  }
  await store.notifications.remove(message);
}

/** Removes a message that cannot be delivered, and records its event and recipient. */
async function giveUp(
  message: ClaimedNotification,
  reason: string,
  { store, clock, log }: DeliverOptions,
): Promise<void> {
  const { id, type: event, channel, recipient, attempts } = message;
  const removed = await store.transaction(async (tx) => {
    if (!(await tx.notifications.remove(message))) return false;
    await recordAudit(tx, {
      type: "notification.failed",
      outcome: "failed",
      actor: { type: "system" },
      at: new Date(clock()),
      data: { event, channel, cause: reason, attempts, ...(recipient !== null && { recipient }) },
    });
    return true;
  });
  if (removed)
    log.warn(
      { code: "NOTIFICATION_GIVEN_UP", notification: id, event, channel, attempts, reason },
      "A notification is given up: it was not delivered.",
    );
}

/** The channels; `undefined`: not configured. */
export interface Channels {
  readonly webhook: Send | undefined;
  readonly mail: Send | undefined;
}

/** Delivers a message, or throws. @throws {DeliveryError} */
export type Send = (message: ClaimedNotification) => Promise<void>;

/** The configuration of notifications. */
export type NotificationConfig = Pick<
  Config,
  "notifyWebhookUrl" | "notifyWebhookSecret" | "notifyMailServer" | "notifyFrom" | "notifyTo" | "issuer"
>;

/** A message did not arrive. The reason is a code, without any text of the receiver. */
export class DeliveryError extends Error {
  override readonly name = "DeliveryError";
  readonly reason: string;
  /** Trying again would change nothing. */
  readonly final: boolean;
  constructor(
    reason: string,
    { final = false, ...options }: ErrorOptions & { readonly final?: boolean } = {},
  ) {
    super(`The receiver did not take it (${reason}).`, options);
    this.reason = reason;
    this.final = final;
  }
}
