import type { UpstreamErrorReason } from "./upstream.js";

/** A response of the proxy itself. */
export interface Refusal {
  readonly status: number;
  /** Names and values in turn. */
  readonly headers: string[];
  /** ASCII. */
  readonly body: string;
}

export const notFound: Refusal = createRefusal(404, "not_found", {
  description:
    "This proxy forwards GET /.well-known/oauth-authorization-server and GET /api/oauth/jwks, nothing else.",
});

export const methodNotAllowed: Refusal = createRefusal(405, "method_not_allowed", {
  description: "Only GET is forwarded.",
  headers: ["Allow", "GET"],
});

export const badRequest: Refusal = createRefusal(400, "invalid_request", {
  description: "The request has more than one Host header.",
});

const badGateway = createRefusal(502, "bad_gateway", {
  description:
    "The authorization server gave no answer that can be passed on. The log of the proxy says why. Try again later.",
});

const gatewayTimeout = createRefusal(504, "gateway_timeout", {
  description: "The authorization server did not answer in time. Try again later.",
});

export function refusalOf(reason: UpstreamErrorReason): Refusal {
  return reason === "timeout" ? gatewayTimeout : badGateway;
}

function createRefusal(
  status: number,
  error: string,
  { description, headers = [] }: { description: string; headers?: readonly string[] },
): Refusal {
  const body = JSON.stringify({ error, error_description: description });
  const own = ["Content-Type", "application/json", "Cache-Control", "no-store"];
  return { status, headers: [...own, ...headers, "Content-Length", String(body.length)], body };
}
