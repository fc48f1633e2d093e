import type administration from "../../locales/en/administration.json";
import type audit from "../../locales/en/audit.json";
import type connections from "../../locales/en/connections.json";
import type connectorKinds from "../../locales/en/connector-kinds.json";
import type notifications from "../../locales/en/notifications.json";
import type pages from "../../locales/en/pages.json";
import type setUp from "../../locales/en/set-up.json";
import type { AreaCatalogs } from "./area-catalogs.js";

/** The catalogs of the server besides the areas of the administration. */
interface Catalog {
  readonly administration: typeof administration;
  readonly audit: typeof audit;
  readonly connections: typeof connections;
  readonly "connector-kinds": typeof connectorKinds;
  readonly notifications: typeof notifications;
  readonly pages: typeof pages;
  readonly "set-up": typeof setUp;
}

/** The path of a sentence, such as `pages.signIn.title`. One that English does not have does not compile. */
export type MessageKey = Path<Catalog> | AreaKey;

/** The last part of every key directly below a path: the codes that have a sentence there. */
export type CodeBelow<Prefix extends string> = MessageKey extends infer Key
  ? Key extends `${Prefix}.${infer Code}`
    ? Code
    : never
  : never;

/** The paths of all sentences below a part of a catalog. */
export type Path<Node> = {
  [Name in keyof Node & string]: Node[Name] extends string ? Name : `${Name}.${Path<Node[Name]>}`;
}[keyof Node & string];

type AreaKey = {
  [Area in keyof AreaCatalogs]: Path<Omit<AreaCatalogs[Area], "console">>;
}[keyof AreaCatalogs];
