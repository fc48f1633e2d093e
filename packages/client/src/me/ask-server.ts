import type { ClientContext } from "../client-context.js";
import type { Clock } from "../clock.js";
import { AuthzClientError } from "../errors.js";
import { dpopChallengeError, sendProtected } from "../protected-request.js";
import type { SessionKeeper } from "../session/session-keeper.js";
import { clockSkew, clockSkewSeconds } from "../tokens/clock-skew.js";
import type { TransportAnswer, TransportRequest } from "../transport/transport.js";

/** What to ask the authorization server, and what is special about it. */
export interface ServerQuestion {
  request: TransportRequest;
  /** Is told every token and proof that is sent. */
  onCredential?: (credential: string) => void;
  /** Whether an answer says nothing about the credentials, whatever its headers claim. */
  isFinal?: (answer: TransportAnswer) => boolean;
}

/** Asks the authorization server as the person who is signed in. @throws {AuthzClientError} */
export async function askServer(
  context: ClientContext,
  keeper: SessionKeeper,
  { request, ...rest }: ServerQuestion,
): Promise<TransportAnswer> {
  const { transport, nonces, onEvent } = context;
  const session = await keeper.loadFresh();
  return await sendProtected(transport, nonces, {
    ...rest,
    request,
    signer: keeper.signerOf(session),
    accessToken: session.accessToken.value,
    renewToken: async () => (await keeper.renew(session.accessToken.value)).accessToken.value,
    onRetry: (reason) => onEvent({ type: "request_retried", url: request.url, reason }),
  });
}

/** The error for an answer that refuses the session, or refuses for a reason nobody expected. */
export function notAccepted(
  url: string,
  { status, headers }: TransportAnswer,
  clock: Clock,
): AuthzClientError {
  const error = dpopChallengeError(headers["www-authenticate"] ?? "");
  if (error === "insufficient_scope") {
    return new AuthzClientError("sign_in_denied", {
      what: "You may no longer use this client.",
      why: "The authorization server says that a permission for it is missing.",
      hint: 'Ask an administrator for the permission "authz:login".',
    });
  }
  if (status !== 401) {
    return new AuthzClientError("refused", {
      what: `${url} refused the request.`,
      why: `It answered ${String(status)}.`,
      hint: "Try again. If it stays like this, show this message to your administrator.",
    });
  }
  const skew = error === "invalid_dpop_proof" ? clockSkewSeconds(headers.date, clock) : undefined;
  if (skew !== undefined) return clockSkew(url, skew);
  return new AuthzClientError("session_ended", {
    what: "The authorization server no longer accepts this session.",
    why: `${url} answered 401.`,
    hint: "Sign in again",
    next: { do: "sign_in" },
  });
}
