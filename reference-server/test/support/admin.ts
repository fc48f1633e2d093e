import { randomUUID } from "node:crypto";
import { Signer } from "@fastify/cookie";
import { csrfToken } from "../../src/sign-in/browser.js";
import { createSecret, hashSecret } from "../../src/protocol/secrets.js";
import type { BrowserSession } from "../../src/store/browser-sessions.js";
import type { User } from "../../src/store/users.js";
import { createTestServer, type TestServer } from "./server.js";

/** A person who is signed in in a browser. */
export interface SignedInPerson {
  readonly user: User;
  readonly session: BrowserSession;
  /** The headers of a request that the console sends. */
  readonly headers: Readonly<Record<string, string>>;
}

/** An answer of the admin API. */
interface AdminAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  /** Parsed JSON; `undefined` when there is no body. */
  readonly body: Record<string, unknown>;
  readonly text: string;
}

export interface AdminRequestOptions {
  readonly body?: unknown;
  /** Instead of the administrator; `undefined` for nobody. */
  readonly as?: SignedInPerson | undefined;
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly version?: number;
}

/** The whole server with Ada, who is signed in and may administer it. */
export interface AdminServer extends TestServer {
  readonly ada: SignedInPerson;
  readonly providerId: string;
  /** Sends a request as Ada unless it says otherwise; `path` is below `/api/admin/v1`. */
  request(method: string, path: string, options?: AdminRequestOptions): Promise<AdminAnswer>;
  /** Somebody who has signed in, with these scopes. */
  signIn(name: string, scopes?: readonly string[]): Promise<SignedInPerson>;
  audit(
    type?: string,
  ): Promise<
    { type: string; actor_id: string | null; request_id: string | null; data: Record<string, unknown> }[]
  >;
}

/** Starts the server with one identity provider and Ada, its first administrator. */
export async function createAdminServer(
  environment: Readonly<Record<string, string | undefined>> = {},
): Promise<AdminServer> {
  const server = await createTestServer(environment);
  const { store, config } = server.context;
  const providerId = randomUUID();
  const at = () => new Date(server.clock());
  await store.identityProviders.save(
    {
      id: providerId,
      key: "acme",
      name: "Acme accounts",
      issuer: "https://accounts.acme.example",
      clientId: "authz",
      clientSecret: null,
      tokenEndpointAuthMethod: "none",
      discoveryUrl: null,
      scopes: ["openid", "email"],
      allowedEmailDomains: ["acme.example"],
      enabled: true,
    },
    at(),
  );

  async function signIn(name: string, scopes: readonly string[] = []): Promise<SignedInPerson> {
    const email = `${name.toLowerCase()}@acme.example`;
    const user = await store.transaction((tx) =>
      tx.users.signIn({ providerId, subject: name, email, name, at: at() }),
    );
    for (const scope of scopes)
      await store.assignments.insertMissing({ id: randomUUID(), email, scope }, at());
    const token = createSecret();
    const session: BrowserSession = {
      id: randomUUID(),
      userId: user.id,
      providerId,
      authTime: at(),
      askedAnewAt: null,
      amr: [],
      signedInAt: at(),
      expiresAt: new Date(at().getTime() + 8 * 3600 * 1000),
      userAgent: null,
    };
    await store.browserSessions.insert(session, hashSecret(token));
    const cookie = `authz-session=${encodeURIComponent(new Signer(config.sessionSecret).sign(token))}`;
    const csrf = csrfToken(config.sessionSecret, session, "admin");
    return { user, session, headers: { cookie, origin: config.issuer, "x-authz-csrf": csrf } };
  }

  const ada = await signIn("Ada", ["authz:administer", "authz:login"]);
  return {
    ...server,
    ada,
    providerId,
    signIn,
    async request(method, path, options = {}) {
      const { body, version, headers = {} } = options;
      const person = "as" in options ? options.as : ada;
      const wanted: Record<string, string | undefined> = {
        ...person?.headers,
        ...(body !== undefined && { "content-type": "application/json" }),
        ...(version !== undefined && { "if-match": `"${version}"` }),
        ...headers,
      };
      const given = Object.fromEntries(Object.entries(wanted).filter(([, value]) => value !== undefined));
      const answer = await server.app.inject({
        method: method as "GET",
        url: `/api/admin/v1${path}`,
        headers: given as Record<string, string>,
        ...(body !== undefined && { payload: typeof body === "string" ? body : JSON.stringify(body) }),
      });
      const json = String(answer.headers["content-type"]).startsWith("application/json");
      return {
        status: answer.statusCode,
        headers: answer.headers,
        body: json && answer.body !== "" ? (JSON.parse(answer.body) as Record<string, unknown>) : {},
        text: answer.body,
      };
    },
    audit: (type) =>
      server.database.query(
        "SELECT type, actor_id, request_id, data FROM audit_events WHERE $1::text IS NULL OR type = $1 ORDER BY id",
        [type ?? null],
      ),
  };
}
