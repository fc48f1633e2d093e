import { exitCodes } from "../exit-code.js";
import { openClient } from "../profile/open-client.js";
import type { CommandContext, CommandTree } from "./command.js";

/** `authz scopes` */
export function addScopes({ add, action }: CommandTree): void {
  add("scopes", "List all permissions, and which of them you have.", ["authz scopes"]).action(action(scopes));
}

/** Lists the permissions of every service one can use, and which of them one has. */
async function scopes({ runtime, output, profile }: CommandContext): Promise<number> {
  const { client } = await openClient(runtime, profile);
  const resources = await client.resources();
  if (output.json) {
    const items = resources.map(({ key, name, requestPrefixes, supportedScopes, grantedScopes }) => ({
      resource: key,
      name,
      requestPrefixes,
      scopes: supportedScopes.map((scope) => ({ scope, granted: grantedScopes.includes(scope) })),
    }));
    output.data({ items });
    return exitCodes.ok;
  }
  const rows = resources.flatMap(({ key, supportedScopes, grantedScopes, requestPrefixes }) =>
    supportedScopes.map((scope) => [
      key,
      scope,
      grantedScopes.includes(scope) ? "yes" : "no",
      requestPrefixes[0] ?? "",
    ]),
  );
  if (rows.length > 0) {
    output.table(["SERVICE", "SCOPE", "GRANTED", "ADDRESS"], rows);
  } else {
    output.note("No service is registered yet.");
    output.note("An administrator can register one.");
  }
  return exitCodes.ok;
}
