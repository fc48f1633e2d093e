import type { AuthzRequest, AuthzResponse, AuthzRoute } from "./messages.js";
import type { Policy } from "./request/policy.js";
import type { NodeRequest, NodeRequestOverrides, NodeResponse } from "./transport/node.js";

/** Who is calling. */
export interface Identity {
  /** `user`: an employee. `machine`: a registered machine client. */
  readonly type: "user" | "machine";
  /** The verified subject. Mapping it to local records is the application's business. */
  readonly subject: string;
  readonly email?: string;
  readonly name?: string;
}

/** The verified authorization of one request. Frozen, and shared by the requests made with one access token. */
export interface Auth {
  readonly identity: Identity;
  /** The scopes of the access token. */
  readonly scopes: readonly string[];
  readonly clientId: string;
  /** The access token's `jti`, for logs. */
  readonly tokenId: string;
  /** When the access token ends, in seconds since 1970. */
  readonly expiresAt: number;
}

/** What was decided about a request: the caller may pass, or gets the answer in `refusal`. */
export type Decision = Admission | Refusal;

/** The caller may pass. */
export interface Admission {
  readonly auth: Auth;
  /**
   * Headers for the answer: the next `DPoP-Nonce`, so that no client has to repeat a request for it. Empty when server
   * nonces are off.
   *
   * @see {@link https://www.rfc-editor.org/rfc/rfc9449#section-8.2 | RFC 9449 §8.2}
   */
  readonly headers: Readonly<Record<string, string>>;
  readonly refusal?: undefined;
}

/** The caller may not pass. */
export interface Refusal {
  /** The answer to send. */
  readonly refusal: AuthzResponse;
  readonly auth?: undefined;
}

/** What a resource server embeds: it decides who is calling, and serves the routes that clients need. */
export interface Authz {
  /**
   * Checks the issuer's discovery document and key set, and that this service can sign with its own key.
   *
   * Call it at start-up or from a readiness probe: a signature that worked is good for a minute, the issuer's keys for
   * five, and while the issuer is away cached keys keep the service ready for as long as they serve.
   *
   * @throws {AuthzUnavailableError} The message says which address failed, how, and what to check.
   */
  ready(): Promise<void>;

  /**
   * Decides about one request: who is calling, and may they.
   *
   * The replay store is asked last, so a forged proof can never fill it. An empty policy still requires valid
   * authorization. When the token is known and the replay store is in memory, the decision is there at once, without a
   * promise; `await` takes both.
   *
   * @throws {TypeError} The policy names a scope that is not in `supportedScopes`.
   * @throws what is no refusal, such as an error of your own replay store's driver: it belongs to the application
   * @see {@link https://www.rfc-editor.org/rfc/rfc9449#section-7 | RFC 9449 §7}
   */
  decide(request: AuthzRequest, policy?: Policy): Decision | Promise<Decision>;

  /**
   * Checks a policy once, at start-up, and returns it frozen.
   *
   * @throws {TypeError} It names a scope that is not in `supportedScopes`, or has an unknown member.
   */
  definePolicy(policy?: Policy): Policy;

  /** The routes to mount: discovery, signing keys, tokens and skills. Paths are relative to the origin. */
  readonly routes: readonly AuthzRoute[];

  /**
   * Answers a Fetch `Request` to one of `routes`, or returns undefined when the request is for the application.
   *
   * For Hono, Next.js route handlers, Bun and Deno.
   */
  handleFetch(request: Request): Promise<Response | undefined>;

  /** Answers a request to `node:http` or `node:http2` to one of `routes`. False when it is for the application. */
  handleNode(
    request: NodeRequest,
    response: NodeResponse,
    overrides?: NodeRequestOverrides,
  ): Promise<boolean>;
}
