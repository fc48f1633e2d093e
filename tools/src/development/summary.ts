import { lines, table } from "../parts.js";
import { mcpTitle, serviceTitles } from "./programs.js";
import { people } from "./registry.js";
import { originOf, type Settings, serviceKeys } from "./settings.js";

/** What the terminal shows when everything runs: where things are, who can sign in, what to type next. */
export function summaryText(settings: Settings, options: { readonly keyringWorks: boolean }): string {
  const issuer = originOf(settings, "server");
  const store = options.keyringWorks ? "" : "AUTHZ_TOKEN_STORE=file ";
  const addresses = [
    ["Authorization server", issuer],
    ["One address for agents", `${issuer}/mcp`],
    ["Identity provider", originOf(settings, "idp")],
    ...serviceKeys.map((key) => [serviceTitles[key], `${originOf(settings, key)}/api/contracts`]),
    [mcpTitle, `${originOf(settings, "mcp")}/mcp`],
    ["Notes, a third party", originOf(settings, "notes")],
    ["PostgreSQL 16", `127.0.0.1:${settings.ports.postgres}, database authz`],
  ];
  return lines([
    "",
    "Everything runs.",
    "",
    ...table(addresses),
    "",
    "People you can be, without a password:",
    "",
    ...table(people.map(({ name, email, may }) => [name, email, may])),
    "",
    `Open ${issuer}/admin and sign in as Bruno Keller to administer all of this.`,
    "",
    "Now type in another terminal, in this folder:",
    "",
    `  ${store}npx @authz/cli login --issuer ${issuer}`,
    "  npx @authz/cli skills",
    `  npx @authz/cli request --scope contracts:read ${originOf(settings, "express")}/api/contracts`,
    "",
    "And with an account of Ada's own, at a third party:",
    "",
    "  npx @authz/cli connections connect notes",
    `  npx @authz/cli request --connection notes ${originOf(settings, "notes")}/api/notes`,
    "",
    "And from an agent host, for example Claude Code (docs/hosts has the others):",
    "",
    `  claude mcp add --transport http acme ${issuer}/mcp`,
    "",
    ...(options.keyringWorks
      ? []
      : ["No keyring works on this computer, so the session goes into a file that only you can read.", ""]),
    "Logs and data are in",
    `  ${settings.stateDirectory}`,
    "",
    "Ctrl-C stops everything.",
    "",
  ]);
}
