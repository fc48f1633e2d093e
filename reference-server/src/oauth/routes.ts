import type { FastifyInstance } from "fastify";
import type { ServerContext } from "../context.js";

/** Mounts the OAuth endpoints and the sign-in and consent pages. */
export async function registerOauth(_app: FastifyInstance, _context: ServerContext): Promise<void> {}
