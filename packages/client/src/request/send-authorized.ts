import type { ProofSigner } from "@authz/dpop";
import type { ClientContext } from "../client-context.js";
import { sendProtected } from "../protected-request.js";
import { brokenOff } from "../transport/read-answer.js";
import type { TransportAnswer } from "../transport/transport.js";
import type { AuthorizedRequest } from "./authorized-request.js";
import { hideCredentials } from "./hide-credentials.js";

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
export async function sendAuthorized(
  { transport, nonces, onEvent }: Pick<ClientContext, "transport" | "nonces" | "onEvent">,
  given: AuthorizedRequest,
  { method, url, headers, ...credentials }: CheckedRequest,
): Promise<TransportAnswer> {
  const { body, bodyLength, signal, timeoutSeconds } = given;
  const sent: string[] = [];
  const answer = await sendProtected(transport, nonces, {
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
  const whole = { ...answer, body: untilBroken(answer.body, new URL(url).origin) };
  return given.hideCredentials === true ? hideCredentials(whole, sent) : whole;
}

async function* untilBroken(body: AsyncIterable<Uint8Array>, from: string): AsyncIterable<Uint8Array> {
  try {
    yield* body;
  } catch (cause) {
    throw brokenOff(from, cause);
  }
}
