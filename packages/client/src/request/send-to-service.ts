import type { ProofSigner } from "@authz/dpop";
import { AuthzClientError } from "../errors.js";
import { sendProtected } from "../tokens/send-protected.js";
import type { ServerContext } from "../tokens/server-context.js";
import { hideCredentials } from "../transport/hide-credentials.js";
import { brokenOff, unreachable, untilBroken, wasNotSent } from "../transport/read-json.js";
import type { Transport, TransportAnswer } from "../transport/transport.js";
import type { AuthorizedRequest } from "./request-parts.js";

/** A request whose parts were checked, and what authorizes it. */
export interface CheckedRequest {
  method: string;
  url: string;
  headers: Readonly<Record<string, string>>;
  signer: ProofSigner;
  accessToken: string;
  renewToken: () => Promise<string>;
}

/** What arrives a second time does its work a second time (RFC 9110 §9.2.2). */
const notIdempotent: ReadonlySet<string> = new Set(["POST", "PATCH"]);

/**
 * Sends a request to a service with its token, and the rest of it as the caller gave it. When the answer is lost, the failure says whether
 * the request may have been carried out: check before sending it again.
 */
export async function sendToService(
  { transport, hints, onEvent }: Pick<ServerContext, "transport" | "hints" | "onEvent">,
  given: AuthorizedRequest,
  { method, url, headers, ...credentials }: CheckedRequest,
): Promise<TransportAnswer> {
  const { body, bodyLength, signal, timeoutSeconds } = given;
  const sent: string[] = [];
  const from = new URL(url).origin;
  const answering: Transport = async (attempt) => {
    try {
      return await transport(attempt);
    } catch (cause) {
      throw perhapsCarriedOut(method, unreachable(from, cause), `${from} did not answer.`);
    }
  };
  const answer = await sendProtected(answering, hints, {
    ...credentials,
    onCredential: (credential) => sent.push(credential),
    request: {
      method,
      url,
      headers,
      ...(body === undefined ? {} : { body }),
      ...(bodyLength === undefined ? {} : { bodyLength }),
      ...(signal === undefined ? {} : { signal }),
      ...(timeoutSeconds === undefined ? {} : { timeoutSeconds }),
    },
    onRetry: (reason) => onEvent({ type: "request_retried", url, reason }),
  });
  const whole = {
    ...answer,
    body: untilBroken(answer.body, (cause) => perhapsCarriedOut(method, brokenOff(from, cause))),
  };
  return given.hideCredentials === true ? hideCredentials(whole, sent) : whole;
}

/** The same failure, with what it means for a request that must not arrive twice. */
function perhapsCarriedOut(method: string, error: AuthzClientError, what = error.what): AuthzClientError {
  const { why = "", cause } = error;
  if (!notIdempotent.has(method) || wasNotSent(cause)) return error;
  return error.with({ what, why: `${why} The request may have been carried out.`.trim(), sent: "maybe" });
}
