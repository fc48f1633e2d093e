import { ConnectorKeyError } from "../../platform/vault/key-ring.js";
import { AdminError } from "../http/admin-error.js";

/**
 * Says to administrators that a secret cannot be sealed now, and what to do.
 *
 * @throws {AdminError} `connector_key_unavailable`
 */
export async function needingConnectorKey<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof ConnectorKeyError)) throw error;
    const { reason, message } = error;
    throw new AdminError("connector_key_unavailable", ({ refusals }) =>
      refusals.connectorKey[reason](message),
    );
  }
}
