import type { ProofSigner } from "@authz/dpop";
import { parseChallenges } from "@authz/dpop/challenges";
import { AuthzClientError } from "../errors.js";
import { unreachable } from "../transport/read-json.js";
import {
  isRepeatable,
  type Transport,
  type TransportAnswer,
  type TransportRequest,
} from "../transport/transport.js";
import type { ServerHints } from "./server-hints.js";

/** A request, what authorizes it, and where the next token comes from when this one has ended. */
export interface ProtectedRequest {
  request: TransportRequest;
  signer: ProofSigner;
  accessToken: string;
  renewToken: () => Promise<string>;
  onRetry: (reason: CredentialProblem) => void;
  /** Called with every token and proof that is sent. */
  onCredential?: (credential: string) => void;
  /** Whether an answer comes from a party that never saw the credentials: it is then passed on, and says nothing about them. */
  isFinal?: (answer: TransportAnswer) => boolean;
}

/** Why a server did not take the credentials, when trying again can help. */
type CredentialProblem = "nonce" | "clock" | "expired_token";

/**
 * Sends a request with an access token and a proof (RFC 9449 §7.1), once more with the nonce the server asked for, once more
 * with the time that the server has, and once more with a new token. A body that can be read only once is sent once.
 *
 * @throws {AuthzClientError} `unreachable`
 */
export async function sendProtected(
  transport: Transport,
  hints: ServerHints,
  protectedRequest: ProtectedRequest,
): Promise<TransportAnswer> {
  const { request, signer, renewToken, onRetry, onCredential, isFinal } = protectedRequest;
  let { accessToken } = protectedRequest;
  const tried = new Set<CredentialProblem>();
  for (;;) {
    const answer = await sendOnce(transport, hints, {
      request,
      signer,
      accessToken,
      onCredential,
    });
    if (isFinal?.(answer) === true) return answer;
    const problem = credentialProblem(hints, request.url, answer);
    if (problem === undefined || tried.has(problem) || !isRepeatable(request.body)) return answer;
    tried.add(problem);
    answer.discard();
    onRetry(problem);
    if (problem === "expired_token") accessToken = await renewToken();
  }
}

type Attempt = Pick<ProtectedRequest, "request" | "signer" | "accessToken"> & {
  onCredential: ((credential: string) => void) | undefined;
};

async function sendOnce(
  transport: Transport,
  hints: ServerHints,
  { request, signer, accessToken, onCredential }: Attempt,
): Promise<TransportAnswer> {
  const { method, url } = request;
  const proof = signer.sign({ method, url, accessToken, ...hints.forProof(url) });
  onCredential?.(accessToken);
  onCredential?.(proof);
  try {
    return await transport({
      ...request,
      headers: { ...request.headers, authorization: `DPoP ${accessToken}`, dpop: proof },
    });
  } catch (cause) {
    throw cause instanceof AuthzClientError ? cause : unreachable(new URL(url).origin, cause);
  }
}

/** Reads from a 401 whether a nonce is wanted, the clocks differ or the token has ended. Remembers what the server said. */
function credentialProblem(
  hints: ServerHints,
  url: string,
  answer: TransportAnswer,
): CredentialProblem | undefined {
  const newNonce = hints.learnNonce(url, answer.headers);
  if (answer.status !== 401) return undefined;
  const error = dpopChallengeError(answer.headers["www-authenticate"]);
  if (error === "use_dpop_nonce" && newNonce) return "nonce";
  if (error === "invalid_dpop_proof" && hints.learnClock(url, answer.headers)) return "clock";
  return error === "invalid_token" ? "expired_token" : undefined;
}

/** The `error` of the first DPoP challenge in a `WWW-Authenticate` header. */
export function dpopChallengeError(header: string | undefined): string | undefined {
  const challenge = parseChallenges(header).find(({ scheme }) => scheme === "dpop");
  return challenge?.parameters.get("error");
}
