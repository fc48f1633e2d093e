import type { FastifyInstance } from "fastify";
import type { ServerContext } from "../context.js";
import { createAreas } from "./areas.js";
import { mountAreas } from "./http/mount.js";

/** Mounts the admin API. */
export async function registerAdmin(app: FastifyInstance, context: ServerContext): Promise<void> {
  const { issuer, allowInsecureLoopback } = context.config;
  await mountAreas(app, { context, areas: createAreas({ issuer, allowInsecureLoopback }) });
}
