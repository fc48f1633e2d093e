import type { Config } from "../config/config.js";
import type { ClaimedNotification } from "../store/notifications.js";

/** Where notifications go; `undefined`: nowhere. */
export interface Channels {
  readonly webhook: Send | undefined;
  readonly mail: Send | undefined;
}

/** Delivers a message, or throws. @throws {DeliveryError} */
export type Send = (message: ClaimedNotification) => Promise<void>;

/** What says where notifications go. */
export type NotificationConfig = Pick<
  Config,
  "notifyWebhookUrl" | "notifyWebhookSecret" | "notifyMailServer" | "notifyFrom" | "notifyTo" | "issuer"
>;

/** A message did not arrive. The cause is a code without anything that somebody else has written. */
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
