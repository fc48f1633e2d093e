import type { ReconnectReason } from "../../store/connections.js";

/**
 * Why there is no access token. `refresh_unavailable`: the third party cannot be asked now, later it can.
 * `not_connected`: somebody disconnected meanwhile.
 */
export type CredentialsErrorReason =
  | "reconnect_required"
  | "disconnecting"
  | "not_connected"
  | "refresh_unavailable";

export interface CredentialsErrorOptions {
  /** With `reconnect_required`. */
  readonly reconnectReason?: ReconnectReason;
  /** With `refresh_unavailable`: when it is worth trying again. */
  readonly retryAfterSeconds?: number;
}

/** A connection has no access token that could be used now. */
export class CredentialsError extends Error {
  override readonly name = "CredentialsError";
  readonly reason: CredentialsErrorReason;
  readonly reconnectReason: ReconnectReason | undefined;
  readonly retryAfterSeconds: number | undefined;
  constructor(reason: CredentialsErrorReason, options: CredentialsErrorOptions = {}) {
    super(`The connection has no access token that could be used now: ${reason}.`);
    this.reason = reason;
    this.reconnectReason = options.reconnectReason;
    this.retryAfterSeconds = options.retryAfterSeconds;
  }
}
