import type { FastifyPluginAsyncZod } from "fastify-type-provider-zod";
// Declares `request.admin` and `config` for the routes of every area.
import "./route-rules.js";

/** What the schemas of an area may depend on. */
export interface AreaOptions {
  /** Plain HTTP on loopback is allowed: development on one machine. */
  readonly allowInsecureLoopback: boolean;
  readonly issuer: string;
}

/** One part of the administration API: its heading in the documentation, and its routes. */
export interface AdminArea {
  /** The heading: "Scopes". */
  readonly tag: string;
  readonly description: string;
  /** An ordinary Fastify plugin. Who calls, limits, `If-Match`, preview and audit are seen to by the door. */
  readonly routes: FastifyPluginAsyncZod<AreaOptions>;
}
