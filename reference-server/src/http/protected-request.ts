import type { FastifyRequest } from "fastify";
import type { ProtectedRequest } from "../tokens/authenticate-access-token.js";
import { rawHeaderValues } from "./raw-headers.js";

/** What of a request decides who sent it. */
export function protectedRequestOf(request: FastifyRequest): ProtectedRequest {
  return {
    method: request.method,
    url: request.url,
    authorization: rawHeaderValues(request, "authorization"),
    dpop: rawHeaderValues(request, "dpop"),
  };
}
