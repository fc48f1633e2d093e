import { createClient, fileStore } from "@authz/client";
import { originOf, type Settings } from "../development/settings.js";
import type { AuthzCommand } from "./authz-command.js";

/** Whether the server says that Ada may create contracts at an address. It does not, until somebody gives her the permission. */
export async function mayWrite(settings: Settings, authz: AuthzCommand, url: string): Promise<boolean> {
  const client = createClient({ issuer: originOf(settings, "server"), store: fileStore(authz.sessionFile) });
  const { key } = await client.resourceFor(url);
  const { allowed } = await client.explain({ resource: key, scopes: ["contracts:write"] });
  return allowed;
}
