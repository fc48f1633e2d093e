import type { FastifyPluginAsyncZod } from "fastify-type-provider-zod";
import type { RuleOptions } from "../../objects/object.js";
// Declares `request.admin` and `config` for the routes of every area.
import "./route-rules.js";

/** Where an area adds its routes. */
export type AreaRoutes = Parameters<AdminArea["routes"]>[0];

/** One part of the administration API: its heading in the documentation, and its routes. */
export interface AdminArea {
  /** The heading: "Scopes". */
  readonly tag: string;
  readonly description: string;
  /** An ordinary Fastify plugin. Who calls, limits, `If-Match`, preview and audit are seen to by the door. */
  readonly routes: FastifyPluginAsyncZod<RuleOptions>;
}
