import type { Logger } from "pino";
import { type ConnectorKeyContext, listKeyUses } from "./describe-keys.js";

/** Says in the log which keys are missing, before somebody needs what they have sealed. Asks only the database. */
export async function reportMissingKeys(
  context: ConnectorKeyContext & { readonly log: Pick<Logger, "warn"> },
): Promise<void> {
  for (const { keyId, readable, connectors, connections } of await listKeyUses(context, null)) {
    if (readable) continue;
    const message =
      `${connectors} connectors and ${connections} connections are sealed with the key ${keyId}, which is not ` +
      "configured here. They cannot be used until it is.";
    context.log.warn({ code: "CONNECTOR_KEY_MISSING", keyId, connectors, connections }, message);
  }
}
