import type { Logger } from "pino";
import type { Connector } from "../../store/connectors.js";

/**
 * Why an account was not connected. `access_denied`: at the third party; `cancelled`: here.
 * `scope_missing`: a required scope was not granted. `other_account`: the connection is for another account.
 * `conflict`: another attempt of the same person was faster, or the connector was changed meanwhile.
 */
const connectErrorCodes = [
  "access_denied",
  "cancelled",
  "scope_missing",
  "other_account",
  "issuer_mismatch",
  "account_unknown",
  "provider_error",
  "provider_unreachable",
  "client_refused",
  "insufficient_scope",
  "directory_unavailable",
  "not_found",
  "disconnecting",
  "conflict",
  "connector_key_unavailable",
  "server_error",
] as const;

export type ConnectErrorCode = (typeof connectErrorCodes)[number];

/** An unknown code was stored by another version of this server. */
export function readConnectErrorCode(text: string): ConnectErrorCode {
  return connectErrorCodes.find((code) => code === text) ?? "server_error";
}

/** An account is not connected. Pages and clients have a sentence for each code; `detail` is for the log. */
export class ConnectError extends Error {
  override readonly name = "ConnectError";
  readonly code: ConnectErrorCode;
  readonly detail: string | undefined;
  constructor(code: ConnectErrorCode, detail?: string) {
    super(`The account is not connected: ${code}.`);
    this.code = code;
    this.detail = detail;
  }
}

/** Logs why an account was not connected. */
export function logRefusal(
  { code: reason, detail }: ConnectError,
  { connector, log }: { readonly connector: Pick<Connector, "key">; readonly log: Pick<Logger, "warn"> },
): void {
  log.warn(
    { code: "CONNECTION_REFUSED", connector: connector.key, reason, detail },
    "An account was not connected.",
  );
}
