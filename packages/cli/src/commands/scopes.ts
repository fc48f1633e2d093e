import { EXIT } from "../exit-code.js";
import { openClient } from "../session/open-client.js";
import type { CommandContext } from "./command.js";

/** Lists the permissions of every service one can use, and which of them one has. */
export async function scopes({ surroundings, output, profile }: CommandContext): Promise<number> {
  const { client } = await openClient(surroundings, profile);
  const resources = await client.resources();
  if (output.json) {
    const items = resources.map(({ key, name, requestPrefixes, supportedScopes, grantedScopes }) => ({
      resource: key,
      name,
      requestPrefixes,
      scopes: supportedScopes.map((scope) => ({ scope, granted: grantedScopes.includes(scope) })),
    }));
    output.data({ items });
    return EXIT.ok;
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
  return EXIT.ok;
}
