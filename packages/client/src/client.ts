import { jwkThumbprint } from "@authz/dpop";
import type { ClientCache } from "./cache/client-cache.js";
import { memoryCache } from "./cache/memory-cache.js";
import type { ClientContext } from "./client-context.js";
import type { Clock } from "./clock.js";
import type {
  Connection,
  ConnectionAttempt,
  ConnectionAttemptResult,
  Revocation,
} from "./connections/connection.js";
import type { ConnectionPlan, ConnectionRequest } from "./connections/connection-requests.js";
import { openConnections } from "./connections/open-connections.js";
import type { WaitOptions } from "./connections/wait-for-connection.js";
import { checkServer, loadServerMetadata, parseIssuer, type ServerCheck } from "./discovery.js";
import type { AuthzClientEventListener } from "./events.js";
import type { LoginOptions } from "./login/browser-login.js";
import type { DeviceLoginOptions } from "./login/device-login.js";
import type { Me, PermissionExplanation, Resource, Skill, SkillSummary } from "./me/answers.js";
import { MeApi } from "./me/me-api.js";
import {
  type AuthorizedFetch,
  type AuthorizedFetchInit,
  authorizedFetchOver,
} from "./request/authorized-fetch.js";
import {
  type AuthorizedRequest,
  AuthorizedRequests,
  type RequestPlan,
} from "./request/authorized-request.js";
import { deviceCode, type Session } from "./session/session.js";
import { SessionKeeper } from "./session/session-keeper.js";
import { revokeSession } from "./session/sign-out.js";
import type { SessionStore } from "./stores/session-store.js";
import { NonceBook } from "./tokens/nonce-book.js";
import { ServiceTokens } from "./tokens/service-tokens.js";
import { fetchTransport } from "./transport/fetch-transport.js";
import { nodeTransport } from "./transport/node-transport.js";
import type { Transport, TransportAnswer } from "./transport/transport.js";

/** Options of {@link createClient}. */
export interface AuthzClientOptions {
  /** Address of the authorization server: https, or http on this computer. */
  issuer: string;
  /** Where the session is kept. */
  store: SessionStore;
  /** Where metadata and the list of services are kept while they are fresh; in memory unless given. */
  cache?: ClientCache;
  /** The client's id at the authorization server; `authz-cli` unless given. */
  clientId?: string;
  /** Sends the requests; `node:http` and `node:https` unless given. */
  transport?: Transport;
  /** Sends the requests through a `fetch` function instead. */
  fetch?: typeof globalThis.fetch;
  clock?: Clock;
  /** Is told what happens behind a call. */
  onEvent?: AuthzClientEventListener;
}

/** Who is signed in on this computer. Holds no secret. */
export interface SessionSummary {
  issuer: string;
  subject: string;
  email: string | undefined;
  name: string | undefined;
  /** The short code of this device, as the consent page showed it. */
  deviceCode: string;
  /** Epoch milliseconds. */
  signedInAt: number;
}

/** What the authorization server and the registered services can be asked for on behalf of one person. */
export interface AuthzClient {
  readonly issuer: string;
  /** Signs in through a browser and stores the session. A session that was there before is revoked. */
  login(options: LoginOptions): Promise<SessionSummary>;
  /** Signs in with a browser on another device (RFC 8628), and stores the session like `login`. */
  loginWithDevice(options: DeviceLoginOptions): Promise<SessionSummary>;
  /** Whether the server offers `loginWithDevice`. */
  offersDeviceLogin(): Promise<boolean>;
  /** Ends the session: revokes it when the server can, and forgets it. `revoked` says whether the server knows. */
  logout(): Promise<{ signedOut: boolean; revoked: boolean }>;
  /** Who is signed in, or undefined. Asks nobody. @throws {AuthzClientError} `session_ended` */
  session(): Promise<SessionSummary | undefined>;
  /** Who is signed in, as the server sees it now. */
  me(): Promise<Me>;
  /** Whether the server is there and the clocks agree. Needs no session. */
  checkServer(): Promise<ServerCheck>;
  /** The registered services the person can use. */
  resources(): Promise<readonly Resource[]>;
  skills(): Promise<readonly SkillSummary[]>;
  /** @throws {AuthzClientError} `not_found` */
  skill(id: string): Promise<Skill>;
  /** Why the person has permissions of a service or lacks them, and who can give them; all of the service without scopes. */
  explain(question: { resource: string; scopes?: readonly string[] }): Promise<PermissionExplanation>;
  /**
   * Calls a registered service like `fetch`. Redirects are answers and never followed. `Authorization`, `DPoP`, `Cookie` and
   * `Host` cannot be set.
   *
   * @throws {AuthzClientError} `url_not_registered` before anything is sent; `scope_not_granted`, `not_signed_in`, …
   */
  authorizedFetch: AuthorizedFetch;
  /** The same without the Fetch classes: the answer's body is a stream of bytes. */
  authorizedRequest(request: AuthorizedRequest): Promise<TransportAnswer>;
  /** The registered service that an address belongs to. @throws {AuthzClientError} `url_not_registered` */
  resourceFor(url: string): Promise<Resource>;
  /** What would happen with a request: nothing is sent to the service, and no token is asked for. */
  planRequest(request: AuthorizedRequest): Promise<RequestPlan>;
  /** Third parties that an administrator has set up, and the person's accounts there. */
  connections(): Promise<readonly Connection[]>;
  /** One of them, by its name. @throws {AuthzClientError} `not_found` */
  connection(name: string): Promise<Connection>;
  /**
   * Begins to connect an account, or to connect it again: somebody visits the address in a browser, signed in as the same person. `scopes` are
   * among those offered; required ones are always asked for. Without `scopes` the usual ones are.
   *
   * @throws {AuthzClientError} `scope_not_granted`, `disconnecting`, `not_found`, …
   */
  beginConnection(name: string, options?: { scopes?: readonly string[] }): Promise<ConnectionAttempt>;
  /** How far an attempt is. Asks once. */
  connectionAttempt(attempt: Pick<ConnectionAttempt, "connector" | "id">): Promise<ConnectionAttemptResult>;
  /** Waits until an attempt has ended. @throws {AuthzClientError} `connection_denied`, `connection_failed`, … */
  waitForConnection(attempt: ConnectionAttempt, options?: WaitOptions): Promise<Connection>;
  /**
   * Disconnects an account: it cannot be used from then on, its tokens are revoked at the third party and deleted. `unconfirmed` and
   * `unsupported` mean that the person should withdraw the access there.
   *
   * @throws {AuthzClientError} `not_connected`, `not_found`
   */
  disconnect(name: string): Promise<{ revocation: Revocation }>;
  /**
   * Calls a third party through a connection like `fetch`. The server adds its credentials, which never come here. Whatever the third party
   * answers is the result.
   *
   * @throws {AuthzClientError} `not_connected`, `reconnect_required`, `target_not_allowed`, …; `sent` says whether it may have arrived.
   */
  connectionFetch(name: string, url: string | URL, init?: AuthorizedFetchInit): Promise<Response>;
  /** The same without the Fetch classes: the answer's body is a stream of bytes. */
  connectionRequest(request: ConnectionRequest): Promise<TransportAnswer>;
  /** What would happen with such a request. Nothing is sent. */
  planConnectionRequest(request: ConnectionRequest): Promise<ConnectionPlan>;
}

/**
 * Creates a client for one authorization server.
 *
 * @throws {AuthzClientError} `invalid_request` when the issuer is not an https address (or http on this computer).
 */
export function createClient(options: AuthzClientOptions): AuthzClient {
  const context = createContext(options);
  const keeper = new SessionKeeper(context);
  const meApi = new MeApi(context, keeper);
  const connections = openConnections(context, keeper);
  const requests = new AuthorizedRequests({
    context,
    keeper,
    meApi,
    tokens: new ServiceTokens(context, keeper),
    connections: connections.connections,
  });
  /** Stores a new session and revokes the one that was there before. */
  const begin = async (session: Session): Promise<SessionSummary> => {
    const before = await keeper.find().catch(() => undefined);
    await keeper.replace(session);
    if (before !== undefined) await revokeSession(context, before);
    return summary(session);
  };
  return {
    issuer: context.issuer,
    login: async (loginOptions) => {
      const { signInWithBrowser } = await import("./on-demand.js");
      await context.cache.clear();
      return await begin(await signInWithBrowser(context, loginOptions));
    },
    loginWithDevice: async (loginOptions) => {
      const { signInWithDevice } = await import("./on-demand.js");
      await context.cache.clear();
      return await begin(await signInWithDevice(context, loginOptions));
    },
    offersDeviceLogin: async () => {
      const { deviceAuthorizationEndpoint } = await loadServerMetadata(context, context.issuer);
      return deviceAuthorizationEndpoint !== undefined;
    },
    logout: async () => {
      const session = await keeper.find().catch(() => undefined);
      const revoked = session !== undefined && (await revokeSession(context, session));
      await context.store.exclusively(async () => await context.store.remove());
      await context.cache.clear();
      return { signedOut: session !== undefined, revoked };
    },
    session: async () => {
      const session = await keeper.find();
      return session === undefined ? undefined : summary(session);
    },
    me: async () => await meApi.me(),
    checkServer: async () => await checkServer(context, context.issuer),
    resources: async () => await meApi.resources(),
    skills: async () => await meApi.skills(),
    skill: async (id) => await meApi.skill(id),
    explain: async ({ resource, scopes = [] }) => await meApi.explain(resource, scopes),
    authorizedRequest: async (request) => await requests.send(request),
    resourceFor: async (url) => await requests.resourceFor(url),
    planRequest: async (request) => await requests.plan(request),
    authorizedFetch: authorizedFetchOver(async (request) => await requests.send(request)),
    ...connections,
  };
}

function createContext(options: AuthzClientOptions): ClientContext {
  const { store, clientId = "authz-cli", clock = Date.now, cache = memoryCache(clock) } = options;
  const transport =
    options.transport ?? (options.fetch === undefined ? nodeTransport() : fetchTransport(options.fetch));
  return {
    issuer: parseIssuer(options.issuer),
    clientId,
    store,
    cache,
    transport,
    nonces: new NonceBook(),
    clock,
    onEvent: options.onEvent ?? (() => undefined),
  };
}

function summary(session: Session): SessionSummary {
  return {
    issuer: session.issuer,
    subject: session.subject,
    email: session.email,
    name: session.name,
    deviceCode: deviceCode(jwkThumbprint(session.privateJwk)),
    signedInAt: session.signedInAt,
  };
}
