import type { FastifyInstance } from "fastify";
import type { ServerContext } from "../context.js";
import { mountAreas } from "./http/mount.js";

/** Mounts the admin API. */
export async function registerAdmin(app: FastifyInstance, context: ServerContext): Promise<void> {
  const { issuer, allowInsecureLoopback } = context.config;
  const loadAreas = async () => {
    const { createAreas } = await import("./areas.js");
    return createAreas({ issuer, allowInsecureLoopback });
  };
  await mountAreas(app, { context, loadAreas });
}
