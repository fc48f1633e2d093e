import type { FastifyRequest } from "fastify";
import { rawHeaderValues } from "./raw-headers.js";

/** A request to one of this server's own protected routes, free of any framework. */
export interface ProtectedRequest {
  readonly method: string;
  /** Path and query as received. */
  readonly url: string;
  /** Every `Authorization` header, so that a second one stays visible. */
  readonly authorization: readonly string[];
  /** Every `DPoP` header. */
  readonly dpop: readonly string[];
}

/** The parts of a request that identify its sender. */
export function protectedRequestOf(request: FastifyRequest): ProtectedRequest {
  return {
    method: request.method,
    url: request.url,
    authorization: rawHeaderValues(request, "authorization"),
    dpop: rawHeaderValues(request, "dpop"),
  };
}
