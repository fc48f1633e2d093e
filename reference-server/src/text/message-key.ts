import type administration from "../../locales/en/administration.json";
import type audit from "../../locales/en/audit.json";
import type connections from "../../locales/en/connections.json";
import type connectorKinds from "../../locales/en/connector-kinds.json";
import type pages from "../../locales/en/pages.json";
import type setUp from "../../locales/en/set-up.json";

/** What the server says, by area: a new area is its files and a line here and in `areas`. The console has its own. */
interface Catalog {
  readonly administration: typeof administration;
  readonly audit: typeof audit;
  readonly connections: typeof connections;
  readonly "connector-kinds": typeof connectorKinds;
  readonly pages: typeof pages;
  readonly "set-up": typeof setUp;
}

export const areas = [
  "administration",
  "audit",
  "connections",
  "connector-kinds",
  "pages",
  "set-up",
] as const satisfies readonly (keyof Catalog)[];

/** The path of a sentence, such as `pages.signIn.title`. One that English does not have does not compile. */
export type MessageKey = Path<Catalog>;

/** The last part of every key directly below a path: the codes that have a sentence there. */
export type CodeBelow<Prefix extends string> = MessageKey extends infer Key
  ? Key extends `${Prefix}.${infer Code}`
    ? Code
    : never
  : never;

type Path<Node> = {
  [Name in keyof Node & string]: Node[Name] extends string ? Name : `${Name}.${Path<Node[Name]>}`;
}[keyof Node & string];
