import type appHosts from "@locales/en/console/app-hosts.json";
import type assignments from "@locales/en/console/assignments.json";
import type audit from "@locales/en/console/audit.json";
import type clients from "@locales/en/console/clients.json";
import type connections from "@locales/en/console/connections.json";
import type connectorKeys from "@locales/en/console/connector-keys.json";
import type connectors from "@locales/en/console/connectors.json";
import type explain from "@locales/en/console/explain.json";
import type groups from "@locales/en/console/groups.json";
import type keys from "@locales/en/console/keys.json";
import type overview from "@locales/en/console/overview.json";
import type palette from "@locales/en/console/palette.json";
import type parts from "@locales/en/console/parts.json";
import type providers from "@locales/en/console/providers.json";
import type resources from "@locales/en/console/resources.json";
import type scopes from "@locales/en/console/scopes.json";
import type sessions from "@locales/en/console/sessions.json";
import type settings from "@locales/en/console/settings.json";
import type shell from "@locales/en/console/shell.json";
import type skills from "@locales/en/console/skills.json";
import type users from "@locales/en/console/users.json";

/** The catalogues. A new one is a file for each language and a line here. */
interface Catalogues {
  readonly "app-hosts": typeof appHosts;
  readonly assignments: typeof assignments;
  readonly audit: typeof audit;
  readonly clients: typeof clients;
  readonly connections: typeof connections;
  readonly "connector-keys": typeof connectorKeys;
  readonly connectors: typeof connectors;
  readonly explain: typeof explain;
  readonly groups: typeof groups;
  readonly keys: typeof keys;
  readonly overview: typeof overview;
  readonly palette: typeof palette;
  readonly parts: typeof parts;
  readonly providers: typeof providers;
  readonly resources: typeof resources;
  readonly scopes: typeof scopes;
  readonly sessions: typeof sessions;
  readonly settings: typeof settings;
  readonly shell: typeof shell;
  readonly skills: typeof skills;
  readonly users: typeof users;
}

/** Each area has its name in the navigation. */
export type AreaId = keyof (typeof shell)["areas"];

export type CatalogueName = keyof Catalogues;

/** The path of a message: `scopes.empty.title`. One that English does not have does not compile. */
export type TextKey = Path<Catalogues>;

type Path<Node> = {
  [Name in keyof Node & string]: Node[Name] extends string ? Name : `${Name}.${Path<Node[Name]>}`;
}[keyof Node & string];
