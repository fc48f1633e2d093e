import type { ProofSigner } from "@authz/dpop";
import { sendProtected } from "../tokens/send-protected.js";
import type { ServerContext } from "../tokens/server-context.js";
import { hideCredentials } from "../transport/hide-credentials.js";
import { brokenOff, untilBroken } from "../transport/read-json.js";
import type { TransportAnswer } from "../transport/transport.js";
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

/** Sends a request to a service with its token, and the rest of it as the caller gave it. */
export async function sendToService(
  { transport, hints, onEvent }: Pick<ServerContext, "transport" | "hints" | "onEvent">,
  given: AuthorizedRequest,
  { method, url, headers, ...credentials }: CheckedRequest,
): Promise<TransportAnswer> {
  const { body, bodyLength, signal, timeoutSeconds } = given;
  const sent: string[] = [];
  const answer = await sendProtected(transport, hints, {
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
    body: untilBroken(answer.body, (cause) => brokenOff(new URL(url).origin, cause)),
  };
  return given.hideCredentials === true ? hideCredentials(whole, sent) : whole;
}
