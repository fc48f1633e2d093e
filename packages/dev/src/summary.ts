import { people } from "./people.js";
import type { Registration } from "./register/register-service.js";
import { type SystemSettings, systemOrigin } from "./system/settings.js";
import { lines, table } from "./terminal-text.js";

/** What the terminal shows when everything runs: where things are, who can sign in, what to type next. */
export function summaryText(settings: SystemSettings, folder: string): string {
  const issuer = systemOrigin(settings, "server");
  return lines([
    "",
    "Everything runs.",
    "",
    ...table([
      ["Authorization server", issuer],
      ["Identity provider", systemOrigin(settings, "idp")],
      ["PostgreSQL 16", `127.0.0.1:${settings.ports.postgres}, database authz`],
    ]),
    "",
    "People you can be, without a password:",
    "",
    ...table(people.map(({ name, email, id }) => [name, email, id === "bruno" ? "administers" : ""])),
    "",
    `Open ${issuer}/admin and sign in as Bruno Keller to see and change everything.`,
    "",
    "Protect a service with this address of the authorization server, start it, and type in another terminal:",
    "",
    `  npx @authz/dev register http://127.0.0.1:4000${folderOption(folder)}`,
    "",
    "Logs and data are in",
    `  ${settings.stateDirectory}`,
    "",
    "Ctrl-C stops everything.",
    "",
  ]);
}

/** What the terminal shows when a service is registered: as what, and how to call it. */
export function registrationText(
  { service, issuer, changed, strippedPrefix }: Registration,
  address: URL,
): string {
  const { given } = service;
  const who = people.filter(({ id }) => given.people.includes(id)).map(({ name }) => name);
  const url = shellWord(address.pathname === "/" ? service.resource : address.href);
  return lines([
    "",
    changed ? `${service.name} is registered.` : `${service.name} is already registered as it is.`,
    "",
    ...table([
      ["Resource", service.resource],
      ["Scopes", service.scopes.join(" ")],
      ["Client id", service.clientId],
      ["Given to", who.length === 0 ? "nobody" : `${who.join(", ")}: ${given.scopes.join(" ")}`],
    ]),
    "",
    ...(strippedPrefix === undefined
      ? []
      : [
          `A proxy in front of the service removes ${strippedPrefix} from addresses. Let it pass the whole path on, or give the SDK`,
          "the path with it. Otherwise the service refuses every proof, because it names the whole address.",
          "",
        ]),
    "Sign in once, as one of them, then call it:",
    "",
    `  npx @authz/cli login --issuer ${issuer}`,
    `  npx @authz/cli request --scope ${given.scopes[0] ?? service.scopes[0] ?? ""} ${url}`,
    "",
  ]);
}

/** A service chooses its address, and what is printed is pasted into a shell. */
function shellWord(text: string): string {
  return /^[\w.:/@%+=,~-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

function folderOption(folder: string): string {
  return folder === "." ? "" : ` --folder ${folder}`;
}
