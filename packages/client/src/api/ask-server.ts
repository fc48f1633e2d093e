import { AuthzClientError } from "../errors.js";
import type { ClientContext } from "../session/client-context.js";
import type { Session } from "../session/session.js";
import type { SessionKeeper } from "../session/session-keeper.js";
import { clockSkew, clockSkewSeconds } from "../tokens/clock-skew.js";
import { dpopChallengeError, sendProtected } from "../tokens/send-protected.js";
import type { Clock } from "../transport/time.js";
import type { TransportAnswer, TransportRequest } from "../transport/transport.js";

/** What to ask the authorization server, and what is special about it. */
export interface ServerQuestion {
  request: TransportRequest;
  /** The session, when it has been loaded already. */
  session?: Session | undefined;
  /** Called with every token and proof that is sent. */
  onCredential?: (credential: string) => void;
  /** Whether an answer says nothing about the credentials, even if its headers claim to. */
  isFinal?: (answer: TransportAnswer) => boolean;
}

/** Asks the authorization server as the person who is signed in. @throws {AuthzClientError} */
export async function askServer(
  context: ClientContext,
  keeper: SessionKeeper,
  { request, session: loaded, ...rest }: ServerQuestion,
): Promise<TransportAnswer> {
  const { transport, hints, onEvent } = context;
  const session = await keeper.freshen(loaded ?? (await keeper.load()));
  return await sendProtected(transport, hints, {
    ...rest,
    request,
    signer: keeper.signerOf(session),
    accessToken: session.accessToken.value,
    renewToken: async () => (await keeper.renew(session.accessToken.value)).accessToken.value,
    onRetry: (reason) => onEvent({ type: "request_retried", url: request.url, reason }),
  });
}

/** The error for an answer that refuses the session, or refuses for an unexpected reason. */
export function notAccepted(
  url: string,
  { status, headers }: TransportAnswer,
  clock: Clock,
): AuthzClientError {
  const error = dpopChallengeError(headers["www-authenticate"]);
  if (error === "insufficient_scope") {
    return new AuthzClientError("client_not_allowed", {
      what: "You may no longer use this client.",
      why: "The authorization server says that a permission for it is missing.",
    });
  }
  if (status !== 401) {
    return new AuthzClientError("refusal_unexpected", {
      what: `${url} refused the request.`,
      why: `It answered ${String(status)}.`,
    });
  }
  const skew = error === "invalid_dpop_proof" ? clockSkewSeconds(headers.date, clock) : undefined;
  if (skew !== undefined) return clockSkew(url, skew);
  return new AuthzClientError("session_ended", {
    what: "The authorization server no longer accepts this session.",
    why: `${url} answered 401.`,
  });
}
