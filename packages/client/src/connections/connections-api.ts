import { askServer, notAccepted } from "../api/ask-server.js";
import { AuthzClientError } from "../errors.js";
import { parseThirdPartyScopes } from "../request/request-parts.js";
import type { ClientContext } from "../session/client-context.js";
import type { SessionKeeper } from "../session/session-keeper.js";
import type { JsonObject } from "@authz/dpop/jws";
import { invalidAnswer, readJsonObject, unavailable } from "../transport/read-json.js";
import type { TransportAnswer, TransportRequest } from "../transport/transport.js";
import {
  type Connection,
  type ConnectionAttempt,
  type ConnectionAttemptResult,
  parseAttempt,
  parseAttemptResult,
  parseConnection,
  parseConnections,
  parseRevocation,
  type Revocation,
} from "./connection.js";
import {
  connectionRefused,
  foreseen,
  type KnownConnection,
  type Refusal,
  readRefusal,
} from "./connection-errors.js";

const freshSeconds = 300;
/** The server may wait for a renewal that is running, and for the third party. */
const disconnectTimeoutSeconds = 90;

/** The authorization server's API for a person's connections. */
export class ConnectionsApi {
  readonly #context: ClientContext;
  readonly #keeper: SessionKeeper;

  constructor(context: ClientContext, keeper: SessionKeeper) {
    this.#context = context;
    this.#keeper = keeper;
  }

  async list(): Promise<readonly Connection[]> {
    const url = `${this.#context.issuer}/api/me/connections`;
    const answer = await this.#ask({ method: "GET", url });
    // A server from before connections has none.
    if (answer.status === 404) {
      answer.discard();
      return [];
    }
    return parseConnections(await this.#object(answer, url, undefined, 200), url);
  }

  /** @throws {AuthzClientError} `not_found` */
  async get(connector: string): Promise<Connection> {
    const url = this.address(connector);
    const body = await this.#object(await this.#ask({ method: "GET", url }), url, connector, 200);
    const connection = parseConnection(body, url);
    if (connection.connector !== connector)
      throw invalidAnswer(url, `It describes "${connection.connector}".`);
    const expiresAt = this.#context.clock() + freshSeconds * 1000;
    await this.#context.cache.write(await this.#cacheKey(connector), body, expiresAt);
    return connection;
  }

  /** The connection as it was at most five minutes ago, or undefined. */
  async kept(connector: string): Promise<Connection | undefined> {
    const url = this.address(connector);
    const kept = await this.#context.cache.read(await this.#cacheKey(connector));
    return kept === undefined ? undefined : parseConnection(Object(kept) as JsonObject, url);
  }

  async start(connector: string, scopes: readonly string[] | undefined): Promise<ConnectionAttempt> {
    const url = `${this.address(connector)}/attempts`;
    const body = JSON.stringify(scopes === undefined ? {} : { scopes: parseThirdPartyScopes(scopes) });
    const answer = await this.#ask({
      method: "POST",
      url,
      headers: { "content-type": "application/json" },
      body,
    });
    return parseAttempt(await this.#object(answer, url, connector, 201), url, connector);
  }

  async attempt({ connector, id }: { connector: string; id: string }): Promise<ConnectionAttemptResult> {
    const url = `${this.address(connector)}/attempts/${encodeURIComponent(id)}`;
    const answer = await this.#ask({ method: "GET", url });
    return parseAttemptResult(await this.#object(answer, url, connector, 200), url);
  }

  async disconnect(connector: string): Promise<Revocation> {
    const url = this.address(connector);
    const timeoutSeconds = disconnectTimeoutSeconds;
    const answer = await this.#ask({ method: "DELETE", url, timeoutSeconds });
    const revocation = parseRevocation(await this.#object(answer, url, connector, 200), url);
    await this.forget(connector);
    return revocation;
  }

  /** Forgets the kept description of a connection. */
  async forget(connector: string): Promise<void> {
    await this.#context.cache.write(await this.#cacheKey(connector), {}, 0);
  }

  /** Where a connection is on the server. @throws {AuthzClientError} `not_found` for what cannot be a name. */
  address(connector: string): string {
    if (/^[a-z0-9][a-z0-9-]{0,99}$/.test(connector))
      return `${this.#context.issuer}/api/me/connections/${connector}`;
    throw foreseen({ error: "not_found" }, { connector });
  }

  /** The error for an answer that is no success. `otherwise` is what to say when the server gives no reason this client knows. */
  async refusal(
    answer: TransportAnswer,
    url: string,
    known: KnownConnection | undefined,
    otherwise?: (refusal: Refusal | undefined) => AuthzClientError,
  ): Promise<AuthzClientError> {
    const { status } = answer;
    const refusal = await readRefusal(answer, url);
    const aboutSession =
      status === 401 ||
      (refusal?.error === "insufficient_scope" &&
        (refusal.scopes ?? ["authz:login"]).includes("authz:login"));
    if (aboutSession) return notAccepted(url, answer, this.#context.clock);
    if (refusal !== undefined && known !== undefined) {
      const { connector, connection = await this.#keptQuietly(connector) } = known;
      const { sent = otherwise === undefined ? undefined : "maybe" } = refusal;
      const worded = connectionRefused({ ...refusal, sent }, { connector, connection });
      if (worded !== undefined) return worded;
    }
    if (otherwise !== undefined) return otherwise(refusal);
    if (status === 404 && known !== undefined) return foreseen({ error: "not_found" }, known);
    if (status >= 500 || status === 429) return unavailable(url, status, refusal ?? {});
    return notAccepted(url, answer, this.#context.clock);
  }

  /** What is known of the connection only helps with words. */
  async #keptQuietly(connector: string): Promise<Connection | undefined> {
    return await this.kept(connector).catch(() => undefined);
  }

  async #object(
    answer: TransportAnswer,
    url: string,
    connector: string | undefined,
    wanted: number,
  ): Promise<JsonObject> {
    if (answer.status === wanted) return await readJsonObject(answer, url);
    throw await this.refusal(answer, url, connector === undefined ? undefined : { connector });
  }

  async #ask(
    request: Omit<TransportRequest, "headers"> & Partial<TransportRequest>,
  ): Promise<TransportAnswer> {
    const headers = { accept: "application/json", ...request.headers };
    return await askServer(this.#context, this.#keeper, { request: { ...request, headers } });
  }

  async #cacheKey(connector: string): Promise<string> {
    const { subject } = await this.#keeper.load();
    return `connection ${this.#context.issuer} ${subject} ${connector}`;
  }
}

/** Whether a failure is temporary: the server did not answer. */
export function isPassing(error: unknown): boolean {
  return error instanceof AuthzClientError && (error.code === "unreachable" || error.code === "rate_limited");
}
