import { VaultError } from "../../platform/vault/key-ring.js";
import { UseRefusal } from "../../forwarding/use-refusal.js";
import type { Connection } from "../../store/connections.js";
import type { Connector } from "../../store/connectors.js";
import { CredentialsError } from "../refresh/load-tokens.js";

/** Why a request is not sent through a connector, beside the refusals of every destination. */
export const connectorRefusals = {
  // The request, before anything is known about it.
  unknownConnector: () =>
    new UseRefusal({ code: "not_found", message: "There is no connector with this name." }),
  transferEncoding: () =>
    new UseRefusal({
      code: "invalid_request",
      message: "The transfer encoding of the request is not supported here. Use chunked, or none.",
    }),
  contentType: () =>
    new UseRefusal({
      code: "invalid_request",
      message: "The Content-Type of the request is malformed.",
    }),

  // Whether this person may.
  missingScope: ({ name }: Connector, scope: string) =>
    new UseRefusal({
      code: "insufficient_scope",
      message: `Using ${name} needs ${scope}, which you do not have. Ask an administrator for it.`,
      scope,
    }),
  disabled: ({ name }: Connector) =>
    new UseRefusal({
      code: "connector_disabled",
      message: `An administrator has disabled ${name}. Ask whether it will be back.`,
    }),
  notUsable: (connection: Connection | undefined, { name }: Connector) => {
    const code = connection?.state ?? "not_connected";
    // Connected again meanwhile, or its connector was disabled: the next request will tell.
    return unusable(code === "connected" ? "not_connected" : code, name);
  },
  addressAdded: ({ name }: Connector) =>
    new UseRefusal({
      code: "reconnect_required",
      reason: "origin_added",
      message: `This address was added after you connected your account at ${name}. Connect it again: the page says where requests may go.`,
    }),
} as const;

function unusable(code: "not_connected" | "reconnect_required" | "disconnecting", name: string): UseRefusal {
  const messages = {
    not_connected: `You have no account connected at ${name}. Connect it first.`,
    reconnect_required: `The stored access to ${name} can no longer be used. Connect your account again.`,
    disconnecting: `Your account at ${name} is being disconnected. Connect it again when that is done.`,
  };
  return new UseRefusal({ code, message: messages[code] });
}

/** Why there is no token to send. An unforeseen error stays what it is. */
export function tokenRefusal(error: unknown, { name }: Connector): unknown {
  if (error instanceof VaultError) {
    const message = `The server cannot open the stored access to ${name}. Its administrators can find the cause under connector keys.`;
    return new UseRefusal({ code: "connector_key_unavailable", message, cause: error });
  }
  if (!(error instanceof CredentialsError)) return error;
  const { reason, retryAfterSeconds = 5 } = error;
  if (reason !== "refresh_unavailable") return unusable(reason, name);
  const message = `The access to ${name} is due to be renewed, but ${name} cannot be asked right now. Nothing was sent. Try again in ${String(retryAfterSeconds)} seconds.`;
  return new UseRefusal({ code: "refresh_unavailable", message, retryAfterSeconds, cause: error });
}
