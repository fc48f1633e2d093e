import type { ApprovalGuard, ApprovalOptions } from "./approval/guard.js";
import type { Decision, Policy } from "./decision.js";
import type { AuthzRequest, AuthzRoute } from "./messages.js";
import type { FetchRequestOverrides } from "./transport/fetch.js";
import type { NodeRequest, NodeRequestOverrides, NodeResponse } from "./transport/node.js";
import type { Upgrade, UpgradeListener } from "./transport/upgrade.js";

/** Authorization of a resource server: identifies callers and serves the routes that clients need. */
export interface Authz {
  /**
   * Checks the issuer's discovery document and key set, and that this service can sign with its own key.
   *
   * Call it at startup, without waiting for it, or from a readiness probe: until the issuer answers, callers get 503, and each
   * request tries again. A successful signature is cached for one minute, the issuer's keys for five; while the issuer is down,
   * cached keys keep the service ready for up to an hour.
   *
   * @throws {AuthzUnavailableError} The message names the address, the failure, and what to check.
   */
  ready(): Promise<void>;

  /**
   * Decides on one request: identifies the caller and checks the policy.
   *
   * The replay store is consulted last, so a forged proof can never fill it. An empty policy still requires valid
   * authorization. With a cached token and a replay store in memory, the decision is returned directly, without a
   * promise; `await` handles both.
   *
   * @throws {TypeError} The policy names a scope that is not in `supportedScopes`.
   * @throws any error that is not a refusal, for the application to handle
   * @see {@link https://www.rfc-editor.org/rfc/rfc9449#section-7 | RFC 9449 §7}
   */
  decide(request: AuthzRequest, policy?: Policy): Decision | Promise<Decision>;

  /**
   * Checks a policy once, at startup, and returns it frozen.
   *
   * @throws {TypeError} It names a scope that is not in `supportedScopes`, or has an unknown member.
   */
  definePolicy(policy?: Policy): Policy;

  /**
   * Creates the guard of calls that may need a person's approval. Create it once per route, at startup: access tokens for one approved
   * call are accepted only by a service that has a guard, and only for the call that its person approved.
   *
   * The guard of a call that needs none decides without a promise. `requireApproval()` of the adapters is made of it.
   *
   * @throws {TypeError} An option is wrong or unknown.
   * @see {@link https://datatracker.ietf.org/doc/draft-rosomakho-oauth-txn-challenge/ | OAuth Transaction Authorization Challenge}
   */
  defineApproval(options?: ApprovalOptions): ApprovalGuard;

  /** The routes to mount: discovery, signing keys, tokens and skills. Paths are relative to the origin. */
  readonly routes: readonly AuthzRoute[];

  /**
   * Answers a Fetch `Request` to one of `routes`, or returns undefined when the request is for the application.
   *
   * For Bun, Deno and everything else that uses Fetch types.
   */
  handleFetch(request: Request, overrides?: FetchRequestOverrides): Promise<Response | undefined>;

  /** Answers a request to `node:http` or `node:http2` to one of `routes`. False when it is for the application. */
  handleNode(
    request: NodeRequest,
    response: NodeResponse,
    overrides?: NodeRequestOverrides,
  ): Promise<boolean>;

  /**
   * Returns a listener for a server's `upgrade` event that accepts connections, such as WebSockets, only with valid authorization.
   * Upgrades bypass middleware and handlers.
   *
   * @throws {TypeError} The policy names a scope that is not in `supportedScopes`.
   */
  guardUpgrade(policy: Policy | undefined, accept: (upgrade: Upgrade) => void): UpgradeListener;
}
