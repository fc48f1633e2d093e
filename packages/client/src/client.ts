import type { AccessRequest } from "./api/access-request.js";
import { jwkThumbprint } from "@authz/dpop";
import { type Me, MeApi, type PermissionExplanation, type Resource } from "./api/me-api.js";
import type { Skill, SkillList, SkillSummary } from "./api/skills-answer.js";
import { type Connections, openConnections } from "./connections/connections.js";
import type { LoginOptions } from "./login/browser-login.js";
import type { DeviceLoginOptions } from "./login/device-login.js";
import { type AuthorizedFetch, authorizedFetchOver } from "./request/authorized-fetch.js";
import { coveringPrefix } from "./request/registered-resource.js";
import type { AuthorizedRequest } from "./request/request-parts.js";
import { type RequestPlan, type ServiceNeed, ServiceRequests } from "./request/service-requests.js";
import { createServerContext, type ServerOptions } from "./server-options.js";
import { deviceCode, type Session } from "./session/session.js";
import { revokeSession, SessionKeeper } from "./session/session-keeper.js";
import type { SessionStore } from "./stores/session-store.js";
import { checkServer, loadServerMetadata, type ServerCheck } from "./tokens/server-metadata.js";
import type { TransportAnswer } from "./transport/transport.js";

/** Options of {@link createClient}. */
export interface AuthzClientOptions extends ServerOptions {
  /** Where the session is kept. */
  store: SessionStore;
  /** The client's id at the authorization server. Default: `authz-cli`. */
  clientId?: string;
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

/** Requests to the authorization server and the registered services on behalf of one person. */
export interface AuthzClient {
  readonly issuer: string;
  /** Signs in through a browser and stores the session. Any previous session is revoked. */
  login(options: LoginOptions): Promise<SessionSummary>;
  /** Signs in with a browser on another device (RFC 8628), and stores the session like `login`. */
  loginWithDevice(options: DeviceLoginOptions): Promise<SessionSummary>;
  /** Whether the server offers `loginWithDevice`. */
  offersDeviceLogin(): Promise<boolean>;
  /** Ends the session: revokes it if the server can be reached, and forgets it. `revoked` says whether the server knows. */
  logout(): Promise<{ signedOut: boolean; revoked: boolean }>;
  /** Who is signed in, or undefined. Sends no request. @throws {AuthzClientError} `session_ended` */
  session(): Promise<SessionSummary | undefined>;
  /** Who is signed in, as the server sees it now. */
  me(): Promise<Me>;
  /** Whether the server can be reached and the clocks agree. Needs no session. */
  checkServer(): Promise<ServerCheck>;
  /** The registered services the person can use. */
  resources(): Promise<readonly Resource[]>;
  skills(): Promise<readonly SkillSummary[]>;
  /** The same list, with the services whose skills may be missing or outdated, and the administrators' instructions to agents. */
  skillList(): Promise<SkillList>;
  /** @throws {AuthzClientError} `not_found`; `unreachable` if it is unknown because its catalog is missing or outdated */
  skill(id: string): Promise<Skill>;
  /**
   * A skill's file, checked against the digest in the skill.
   *
   * @throws {AuthzClientError} `not_found`; `invalid_answer` if it does not match its digest
   */
  skillFile(skill: Pick<Skill, "id" | "files">, path: string): Promise<Uint8Array>;
  /** Why the person has or lacks permissions for a service, and who can give them; without scopes, all of the service's permissions. */
  explain(question: { resource: string; scopes?: readonly string[] }): Promise<PermissionExplanation>;
  /**
   * Asks administrators for what the person lacks at a service, or for a connection, by its key, with a reason of at most 500
   * characters; without scopes, for everything that is missing. Asking again adds to the pending request.
   *
   * @throws {AuthzClientError} `refused`
   */
  askForAccess(
    wish: ({ resource: string } | { connector: string }) & { scopes?: readonly string[]; reason: string },
  ): Promise<AccessRequest>;
  /**
   * Calls a registered service like `fetch`. Redirects are answers and never followed. `Authorization`, `DPoP`, `Cookie` and
   * `Host` cannot be set.
   *
   * @throws {AuthzClientError} `url_not_registered` before anything is sent; `scope_not_granted`, `not_signed_in`, …
   */
  authorizedFetch: AuthorizedFetch;
  /** The same without the Fetch classes: the answer's body is a stream of bytes. */
  authorizedRequest(request: AuthorizedRequest): Promise<TransportAnswer>;
  /**
   * Gets the tokens that requests to these services will need, all at once, and keeps them like those of requests: the first request then
   * waits for its answer alone. What cannot be had is left to the request, which says why.
   */
  prepare(needs: readonly ServiceNeed[]): Promise<void>;
  /** The registered service that an address belongs to. @throws {AuthzClientError} `url_not_registered` */
  resourceFor(url: string): Promise<Resource>;
  /** Says what would happen with a request. Nothing is sent to the service, and no token is requested. */
  planRequest(request: AuthorizedRequest): Promise<RequestPlan>;
  /** The person's accounts at third parties. */
  readonly connections: Connections;
}

/**
 * Creates a client for one authorization server.
 *
 * @throws {AuthzClientError} `invalid_request` when the issuer is not an https address (or http on this computer).
 */
export function createClient(options: AuthzClientOptions): AuthzClient {
  const { store, clientId = "authz-cli" } = options;
  const context = { ...createServerContext({ ...options, clientId }), store };
  const keeper = new SessionKeeper(context);
  const meApi = new MeApi(context, keeper);
  const connections = openConnections(context, keeper);
  const requests = new ServiceRequests({
    context,
    keeper,
    meApi,
    findConnection: async (url) =>
      (await connections.list()).find(
        ({ requestPrefixes }) => coveringPrefix(url, requestPrefixes) !== undefined,
      ),
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
      const { signInWithBrowser } = await import("./login/browser-login.js");
      await context.cache.clear();
      return await begin(await signInWithBrowser(context, loginOptions));
    },
    loginWithDevice: async (loginOptions) => {
      const { signInWithDevice } = await import("./login/device-login.js");
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
    skills: async () => (await meApi.skillList()).items,
    skillList: async () => await meApi.skillList(),
    skill: async (id) => await meApi.skill(id),
    skillFile: async (skill, path) => await meApi.skillFile(skill, path),
    explain: async ({ resource, scopes = [] }) => await meApi.explain(resource, scopes),
    askForAccess: async ({ scopes = [], ...wish }) => await meApi.askForAccess({ ...wish, scopes }),
    authorizedRequest: async (request) => await requests.send(request),
    resourceFor: async (url) => await requests.resourceFor(url),
    prepare: async (needs) => await requests.prepare(needs),
    planRequest: async (request) => await requests.plan(request),
    authorizedFetch: authorizedFetchOver(async (request) => await requests.send(request)),
    connections,
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
