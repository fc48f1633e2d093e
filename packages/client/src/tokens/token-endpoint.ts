import { coverText } from "@authz/dpop/cover";
import type { ProofSigner } from "@authz/dpop";
import { AuthzClientError } from "../errors.js";
import type { JsonObject } from "@authz/dpop/jws";
import { readJsonObject, readUnavailability, unavailable, unreachable } from "../transport/read-json.js";
import { type Clock, pauseUnlessStopped } from "../transport/time.js";
import type { Transport, TransportAnswer } from "../transport/transport.js";
import { clockSkew, clockSkewSeconds } from "./clock-skew.js";
import type { ServerContext } from "./server-context.js";
import type { ServerHints } from "./server-hints.js";

/** An OAuth error answer (RFC 6749 §5.2). Callers turn it into an AuthzClientError that fits what they asked for. */
export class OAuthRefusal extends Error {
  override readonly name = "OAuthRefusal";
  readonly error: string;
  readonly description: string | undefined;

  constructor(error: string, description: string | undefined) {
    super(description === undefined ? error : `${error}: ${description}`);
    this.error = error;
    this.description = description;
  }
}

/** What token requests need. */
export type TokenEndpointContext = Pick<ServerContext, "transport" | "hints" | "clock">;

/** The members of a form; those without a value are left out. */
export type TokenForm = Readonly<Record<string, string | undefined>>;

/** One request to a token endpoint. */
export interface TokenRequest {
  endpoint: string;
  /** The form, or what makes it anew for every attempt. */
  form: TokenForm | (() => TokenForm);
  signer: ProofSigner;
  /** The server answers the same request once more in the same way, so it may be sent again when no answer came. */
  repeatable?: boolean;
}

/**
 * Sends a token request with a proof, once more when the server asks for a nonce, once more when it has another time, and
 * answers with its JSON. Every request has a proof of its own.
 *
 * @throws {OAuthRefusal} The server refused.
 * @throws {AuthzClientError} `unreachable`, `invalid_answer`, `clock_skew`
 */
export async function requestToken(
  context: TokenEndpointContext,
  request: TokenRequest,
): Promise<JsonObject> {
  const tried = new Set<ProofProblem>();
  for (;;) {
    const posted = await postUntilAnswered(context, request);
    if (posted.answer.status === 200) return posted.body;
    const problem = proofProblem(context.hints, request.endpoint, posted);
    if (problem === undefined || tried.has(problem)) throw refusal(posted, request.endpoint, context.clock);
    tried.add(problem);
  }
}

type ProofProblem = "nonce" | "clock";

/** Why a server did not take the proof, when another one can help. */
function proofProblem(
  hints: ServerHints,
  endpoint: string,
  { body, answer, newNonce }: Posted,
): ProofProblem | undefined {
  if (body.error === "use_dpop_nonce") return newNonce ? "nonce" : undefined;
  return body.error === "invalid_dpop_proof" && hints.learnClock(endpoint, answer.headers)
    ? "clock"
    : undefined;
}

/** Members of a form that must not come back in the words of a refusal. */
const secretParameters = [
  "refresh_token",
  "subject_token",
  "assertion",
  "client_assertion",
  "code",
  "code_verifier",
  "device_code",
];

interface Posted {
  answer: TransportAnswer;
  body: JsonObject;
  newNonce: boolean;
  secrets: readonly string[];
  /** The server answered that there are too many requests. One more would make that worse. */
  limited?: AuthzClientError;
}

/** Long enough for a server behind a balancer to be replaced by the one beside it. */
const repeatAfterSeconds = [0.3, 1];
/** Time after which a failure is reported instead of retried. */
const patienceSeconds = 10;

async function postUntilAnswered(context: TokenEndpointContext, request: TokenRequest): Promise<Posted> {
  const until = context.clock() + patienceSeconds * 1000;
  for (const seconds of request.repeatable === true ? repeatAfterSeconds : []) {
    try {
      return await post(context, request);
    } catch (error) {
      const isLost = error instanceof AuthzClientError && error.code === "unreachable";
      if (!isLost || (error.facts.retryAfterSeconds ?? 0) > 1 || context.clock() > until) throw error;
    }
    await pauseUnlessStopped(seconds);
  }
  return await post(context, request);
}

/** @throws {AuthzClientError} `unreachable` when it is unknown what the server did. */
async function post(context: TokenEndpointContext, request: TokenRequest): Promise<Posted> {
  const { endpoint, signer } = request;
  const form = typeof request.form === "function" ? request.form() : request.form;
  const proof = signer.sign({ method: "POST", url: endpoint, ...context.hints.forProof(endpoint) });
  const answer = await sendForm(context.transport, endpoint, { form, headers: { dpop: proof } });
  const newNonce = context.hints.learnNonce(endpoint, answer.headers);
  const secrets = [proof, ...secretParameters.map((name) => form[name] ?? "")];
  if (answer.status >= 500 || answer.status === 429) {
    const { description, retryAfterSeconds } = await readUnavailability(answer, endpoint);
    const error = unavailable(endpoint, answer.status, {
      description: description && coverText(description, secrets),
      retryAfterSeconds,
    });
    if (answer.status === 429) return { answer, body: {}, newNonce, secrets, limited: error };
    throw error;
  }
  return { answer, body: await readJsonObject(answer, endpoint), newNonce, secrets };
}

/** Posts a form. */
export async function sendForm(
  transport: Transport,
  url: string,
  { form, headers = {} }: { form: TokenForm; headers?: Record<string, string> },
): Promise<TransportAnswer> {
  const body = new URLSearchParams();
  for (const [name, value] of Object.entries(form)) if (value !== undefined) body.append(name, value);
  try {
    return await transport({
      method: "POST",
      url,
      headers: {
        "content-type": "application/x-www-form-urlencoded",
        accept: "application/json",
        ...headers,
      },
      body: body.toString(),
    });
  } catch (cause) {
    throw unreachable(url, cause);
  }
}

function refusal({ body, answer, secrets, limited }: Posted, endpoint: string, clock: Clock): Error {
  if (limited !== undefined) return limited;
  if (typeof body.error !== "string") {
    return new AuthzClientError("refusal_without_code", {
      what: `${endpoint} refused the request without saying why.`,
      why: `It answered ${String(answer.status)} without an error code.`,
    });
  }
  if (body.error === "invalid_dpop_proof") {
    const skew = clockSkewSeconds(answer.headers.date, clock);
    if (skew !== undefined) return clockSkew(endpoint, skew);
  }
  const description = typeof body.error_description === "string" ? body.error_description : undefined;
  return new OAuthRefusal(
    coverText(body.error, secrets),
    description === undefined ? undefined : coverText(description, secrets),
  );
}
