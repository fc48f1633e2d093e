import type { Auth } from "./auth.js";
import type { AuthzRequest, AuthzResponse, AuthzRoute } from "./messages.js";
import type { Policy } from "./request/policy.js";

/** What a resource server embeds: it decides who is calling, and serves the routes that clients need. */
export interface Authz {
  /**
   * Checks the issuer's discovery document and key set, and that this service can sign with its own key.
   *
   * Call it at start-up or from a readiness probe. It answers from the cache while the issuer's keys are fresh.
   *
   * @throws {AuthzUnavailableError} The message says which address failed, how, and what to check.
   */
  ready(): Promise<void>;

  /**
   * Returns the verified caller of one request.
   *
   * The replay store is asked last, so a forged proof can never fill it. An empty policy still requires valid
   * authorization.
   *
   * @throws {AuthzError} The request is refused; `refusal()` turns the error into the answer.
   * @throws {TypeError} The policy names a scope that is not in `supportedScopes`.
   * @see {@link https://www.rfc-editor.org/rfc/rfc9449#section-7 | RFC 9449 §7}
   */
  authenticate(request: AuthzRequest, policy?: Policy): Promise<Auth>;

  /**
   * Checks a policy once, at start-up, and returns it frozen.
   *
   * @throws {TypeError} It names a scope that is not in `supportedScopes`, or has an unknown member.
   */
  definePolicy(policy?: Policy): Policy;

  /** The answer to an error of `authenticate`, or undefined for a foreign error, which belongs to the application. */
  refusal(error: unknown): AuthzResponse | undefined;

  /** The routes to mount: discovery, signing keys, tokens and skills. Paths are exact and relative to the origin. */
  readonly routes: readonly AuthzRoute[];

  /**
   * Answers a Fetch `Request` to one of `routes`, or undefined when the request is for the application.
   *
   * For Hono, Next.js route handlers, Bun and Deno.
   */
  readonly handlers: (request: Request) => Promise<Response | undefined>;
}
