import { askServer } from "../api/ask-server.js";
import { AuthzClientError, type RequestSent } from "../errors.js";
import { coveringPrefix } from "../request/registered-resource.js";
import { type AuthorizedRequest, parseRequestParts, type RequestParts } from "../request/request-parts.js";
import type { ClientContext } from "../session/client-context.js";
import type { SessionKeeper } from "../session/session-keeper.js";
import { hideCredentials } from "../transport/hide-credentials.js";
import { quoted } from "../transport/quoted.js";
import { untilBroken, wasNotSent } from "../transport/read-json.js";
import { isRepeatable, type TransportAnswer } from "../transport/transport.js";
import type { Connection } from "./connection.js";
import { foreseen, sentence } from "./connection-errors.js";
import type { ConnectionsApi } from "./connections-api.js";
import { speakerOf } from "./proxy-status.js";

/** The server gives the third party 30 seconds unless an administrator decided otherwise, and may renew its access before. */
const requestTimeoutSeconds = 60;

/** A request to a third party with the access that the server keeps for the person. Its body is sent once, and it may make no progress for up to 60 seconds. */
export interface ConnectionRequest extends Omit<AuthorizedRequest, "scopes"> {
  /** The name of the connection: the key of the connector. */
  connection: string;
}

/** What would happen with a request through a connection: which rule covers it, and what prevents it. */
export interface ConnectionPlan {
  method: string;
  url: string;
  connection: Connection;
  /** The prefix that covers the address. */
  prefix: string;
  /** What prevents the request; undefined when it can be sent. */
  refusal: AuthzClientError | undefined;
}

/** Sends requests through connections. */
export class ConnectionRequests {
  readonly #context: ClientContext;
  readonly #keeper: SessionKeeper;
  readonly #api: ConnectionsApi;

  constructor(parts: { context: ClientContext; keeper: SessionKeeper; api: ConnectionsApi }) {
    this.#context = parts.context;
    this.#keeper = parts.keeper;
    this.#api = parts.api;
  }

  /**
   * Decides everything about a request without sending it, by what the server says now.
   *
   * @throws {AuthzClientError} `target_not_allowed`, `method_not_allowed`, `invalid_request`, `header_not_allowed`, `not_found`
   */
  async plan(request: ConnectionRequest): Promise<ConnectionPlan> {
    const parts = parseRequestParts(request);
    return judge(parts, await this.#api.get(request.connection));
  }

  /**
   * Sends a request. Any answer of the third party is the result; refusals of the server are failures that say whether anything
   * was sent (`sent`). Nothing that may have reached the third party is sent again.
   */
  async send(request: ConnectionRequest): Promise<TransportAnswer> {
    const { plan, headers } = await this.#prepare(request);
    const { method, url, connection } = plan;
    const { connector, name } = connection;
    const { body, bodyLength, signal, timeoutSeconds = requestTimeoutSeconds } = request;
    const address = `${this.#api.address(connector)}/requests`;
    const credentials: string[] = [];
    const answer = await askServer(this.#context, this.#keeper, {
      onCredential: (credential) => credentials.push(credential),
      isFinal: isThirdPartys,
      request: {
        method,
        url: address,
        headers: { ...headers, "authz-target": url },
        timeoutSeconds,
        ...(body === undefined ? {} : { body }),
        ...(bodyLength === undefined ? {} : { bodyLength }),
        ...(signal === undefined ? {} : { signal }),
      },
    }).catch((error: unknown) => {
      const notSent = credentials.length === 0 || (error instanceof Error && wasNotSent(error.cause));
      throw withSent(error, notSent ? "no" : "maybe", name);
    });
    if (!isThirdPartys(answer)) throw await this.#refusal(answer, address, plan);
    const whole = { ...answer, body: untilBroken(answer.body, (cause) => cutOff(name, cause)) };
    return request.hideCredentials === true ? hideCredentials(whole, credentials) : whole;
  }

  /** Everything before the request: a failure here means that it was not sent. */
  async #prepare(
    request: ConnectionRequest,
  ): Promise<{ plan: ConnectionPlan; headers: Record<string, string> }> {
    try {
      const parts = parseRequestParts(request);
      return { plan: await this.#allow(request, parts), headers: parts.headers };
    } catch (error) {
      throw certainlyNotSent(error);
    }
  }

  /** The kept description first; what it does not allow may have been allowed a moment ago. */
  async #allow({ connection: name, body }: ConnectionRequest, parts: RequestParts): Promise<ConnectionPlan> {
    // Asking also brings the nonce that a body which can be read only once must not find out about.
    const kept = isRepeatable(body) ? await this.#api.kept(name) : undefined;
    if (
      kept !== undefined &&
      kept.methods.includes(parts.method) &&
      coveringPrefix(parts.url, kept.requestPrefixes) !== undefined &&
      headerLeftOut(parts, kept) === undefined
    ) {
      const plan = judge(parts, kept);
      if (plan.refusal === undefined) return plan;
    }
    const plan = judge(parts, await this.#api.get(name));
    if (plan.refusal !== undefined) throw plan.refusal;
    return plan;
  }

  /** The error for an answer that does not come from the third party. */
  async #refusal(answer: TransportAnswer, address: string, plan: ConnectionPlan): Promise<AuthzClientError> {
    const { connection, method } = plan;
    const { connector, name } = connection;
    const error = await this.#api.refusal(answer, address, { connector, connection }, (refusal) => {
      const sent = refusal?.sent ?? "maybe";
      const passing = answer.status >= 500 || answer.status === 429;
      const said =
        refusal?.description === undefined
          ? `It answered ${String(answer.status)}.`
          : `It says: ${quoted(refusal.description)}`;
      return new AuthzClientError(passing ? "connection_answer_lost" : "connection_answer_unmarked", {
        what: `The request was not sent on to ${name}, or its answer was lost.`,
        why: `${new URL(address).origin} did not mark the answer as the third party's. ${said} ${sentence(sent, name)}`,
        sent,
        connection: connector,
        connectionName: name,
      });
    });
    // What was kept about the connection may be why it was refused.
    await this.#api.forget(connector);
    if (method !== "HEAD") return error;
    // An answer to HEAD has no body that could say why.
    const now = await this.plan({ connection: connector, url: plan.url, method }).catch(() => undefined);
    return now?.refusal ?? error;
  }
}

/** A header that the third party would not get: silence about it would mislead. */
function headerLeftOut({ headers }: RequestParts, { requestHeaders }: Connection): string | undefined {
  return Object.keys(headers).find((name) => !requestHeaders.includes(name));
}

/** @throws {AuthzClientError} `target_not_allowed`, `method_not_allowed`, `header_not_allowed` */
function judge(parts: RequestParts, connection: Connection): ConnectionPlan {
  const { method, url } = parts;
  const { connector, state, missingScopes } = connection;
  const known = { connector, connection };
  const prefix = coveringPrefix(url, connection.requestPrefixes);
  if (prefix === undefined) throw foreseen({ error: "target_not_allowed", sent: "no" }, known);
  if (!connection.methods.includes(method))
    throw foreseen({ error: "method_not_allowed", sent: "no" }, known);
  const header = headerLeftOut(parts, connection);
  if (header !== undefined)
    throw new AuthzClientError("header_not_forwarded", {
      what: `The header ${header} cannot be sent through a connection to ${connection.name}.`,
      why: "The server sends on what any API takes, and what an administrator allowed for this third party.",
    });
  const problem =
    missingScopes.length > 0
      ? foreseen({ error: "insufficient_scope", scopes: missingScopes, sent: "no" }, known)
      : state === "connected"
        ? undefined
        : foreseen({ error: state, sent: "no" }, known);
  return { method, url: url.href, connection, prefix, refusal: problem };
}

function isThirdPartys({ headers }: TransportAnswer): boolean {
  return speakerOf(headers["proxy-status"]) === "third_party";
}

/** The same failure, for callers that read only `sent`. */
function certainlyNotSent(error: unknown): unknown {
  return error instanceof AuthzClientError && error.facts.sent === undefined
    ? error.with({ sent: "no" })
    : error;
}

/** The same failure, when no server was reached, with what that means for the request. */
function withSent(error: unknown, sent: RequestSent, name: string): unknown {
  if (!(error instanceof AuthzClientError) || error.code !== "unreachable") return error;
  return error.with({ why: `${error.why ?? ""} ${sentence(sent, name)}`.trim(), sent });
}

/** The server breaks the connection rather than let a cut answer look complete. */
function cutOff(name: string, cause: unknown): AuthzClientError {
  return new AuthzClientError("connection_answer_broken_off", {
    what: `The answer from ${name} broke off.`,
    why: "It is larger than the server passes on, it took too long, or the connection was lost.",
    sent: "maybe",
    cause,
  });
}
