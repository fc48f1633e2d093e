import type accessRequests from "../../locales/en/areas/access-requests.json";
import type access from "../../locales/en/areas/access.json";
import type appHosts from "../../locales/en/areas/app-hosts.json";
import type assignments from "../../locales/en/areas/assignments.json";
import type audit from "../../locales/en/areas/audit.json";
import type clients from "../../locales/en/areas/clients.json";
import type connections from "../../locales/en/areas/connections.json";
import type connectorKeys from "../../locales/en/areas/connector-keys.json";
import type connectors from "../../locales/en/areas/connectors.json";
import type explain from "../../locales/en/areas/explain.json";
import type groups from "../../locales/en/areas/groups.json";
import type keys from "../../locales/en/areas/keys.json";
import type overview from "../../locales/en/areas/overview.json";
import type providers from "../../locales/en/areas/providers.json";
import type resources from "../../locales/en/areas/resources.json";
import type scopes from "../../locales/en/areas/scopes.json";
import type sessions from "../../locales/en/areas/sessions.json";
import type settings from "../../locales/en/areas/settings.json";
import type skills from "../../locales/en/areas/skills.json";
import type usage from "../../locales/en/areas/usage.json";
import type users from "../../locales/en/areas/users.json";
import type views from "../../locales/en/areas/views.json";

/** What each area says, on the server and in the console. Written by test/text/catalogs.test.ts. */
export interface AreaCatalogs {
  readonly "access-requests": typeof accessRequests;
  readonly access: typeof access;
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
  readonly providers: typeof providers;
  readonly resources: typeof resources;
  readonly scopes: typeof scopes;
  readonly sessions: typeof sessions;
  readonly settings: typeof settings;
  readonly skills: typeof skills;
  readonly usage: typeof usage;
  readonly users: typeof users;
  readonly views: typeof views;
}
