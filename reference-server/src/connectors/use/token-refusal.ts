import type { Connector } from "../../store/connectors.js";
import { CredentialsError } from "../refresh/credentials-error.js";
import { ConnectorKeyError } from "../../platform/vault/key-ring.js";
import { connectionRefusal } from "./admit-request.js";
import { UseRefusal } from "./use-refusal.js";

/** Says to the caller why there is no token to send. A foreign error stays what it is. */
export function tokenRefusal(error: unknown, { name }: Connector): unknown {
  if (error instanceof ConnectorKeyError) {
    const message = `The server cannot open the stored access to ${name}. Its administrators find the cause under connector keys.`;
    return new UseRefusal({ code: "connector_key_unavailable", message, cause: error });
  }
  if (!(error instanceof CredentialsError)) return error;
  const { reason, retryAfterSeconds = 5 } = error;
  if (reason !== "refresh_unavailable") return connectionRefusal(reason, name);
  const message = `The access to ${name} is due to be renewed, and ${name} cannot be asked now. Nothing was sent. Try again in ${String(retryAfterSeconds)} seconds.`;
  return new UseRefusal({ code: "refresh_unavailable", message, retryAfterSeconds, cause: error });
}
