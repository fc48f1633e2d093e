import type { Clock, NonceSource, ProofSigner, ReplayStore } from "@authz/dpop";
import type { AuthzOptions, SigningKey } from "@authz/verify";

/** The service under test. Everything has a default that suits a unit test. */
export interface TestIssuerOptions {
  /** Public origin of the service. Proofs are checked against it, never against the port a test happens to use. Default `https://service.test`. */
  publicOrigin?: string;
  /** Resource identifier of the service, at or below `publicOrigin`. Default: `publicOrigin` followed by `/api`. */
  resource?: string;
  /** Scopes the service supports. */
  supportedScopes: readonly string[];
  /** Client id of the command-line client at the service. Default `authz-cli`. */
  clientId?: string;
  /** The service's own signing key. A new one by default. */
  signingKey?: SigningKey;
  /** Replay store of the service. Default `inMemory()`. */
  replayStore?: ReplayStore;
  /** Epoch milliseconds, like `Date.now`. Freeze it to test expiry. */
  clock?: Clock;
  /** Server nonces of the service: `createNonceSource({ secret })`. Signed requests then carry the current one. */
  nonces?: NonceSource;
  /** Also listen on a free loopback port, for a service that runs in a separate process. */
  listen?: boolean;
}

/** Who calls, and with which scopes. */
export interface Caller {
  /** Scopes of the access token. Default: all that the service supports. */
  scopes?: readonly string[];
  /** Subject of the employee. Default `test-subject`. */
  subject?: string;
  /** Default `{subject}@example.com`. */
  email?: string;
  /** Display name; absent by default. */
  name?: string;
  /** Client id of a machine that calls for itself, instead of an employee. */
  machine?: string;
  /**
   * Client id, at the authorization server, of the app that the employee uses: what the service sees as `auth.actor`. The
   * access token then comes straight from the authorization server, instead of from the service's own token route.
   */
  app?: string;
}

/** One request to the service. */
export interface RequestToSign extends Caller {
  /** Default `GET`. */
  method?: string;
  /** A path such as `/api/contracts`, or a URL below `publicOrigin`. */
  url: string;
  /** The server nonce in the proof, from a `DPoP-Nonce` header. Default: the current one, when the service has `nonces`. */
  nonce?: string;
  /** The `transaction_challenge` of a 401 answer: the request then has the token for the challenged call, which a person approved. */
  challenge?: string;
}

/** A call that waits for a person's approval. */
export interface CallToAnswer {
  method: string;
  /** A path such as `/api/contracts/17`, or a URL below `publicOrigin`. */
  url: string;
  /** Subject of the person who answers. Default: the caller. */
  approver?: string;
}

/** A person's answer. */
export type Answered = "approved" | "declined";

/** The two headers of an authorized request. Spread them into the headers of any HTTP client. */
export interface SignedHeaders {
  authorization: string;
  dpop: string;
}

/** Credentials with exactly one thing wrong. Each must be refused without entering the handler. */
export interface Defects {
  /** The access token has expired: 401 `invalid_token`. */
  expired(request: RequestToSign): Promise<SignedHeaders>;
  /** The proof is valid, but made with a key other than the token's: 401 `invalid_token`. */
  wrongKey(request: RequestToSign): Promise<SignedHeaders>;
  /** The proof was presented before: 401 `invalid_dpop_proof`. Needs the service to use `options.replayStore`. */
  replayed(request: RequestToSign): Promise<SignedHeaders>;
  /** The sign-in or the machine behind the access token has ended: 401 `invalid_token`. */
  revoked(request: RequestToSign): Promise<SignedHeaders>;
  /** The token was issued for another resource: 401 `invalid_token`. */
  wrongAudience(request: RequestToSign): Promise<SignedHeaders>;
  /** The token has every supported scope except `scopes`: 403 `insufficient_scope`. */
  missingScope(request: RequestToSign): Promise<SignedHeaders>;
}

/** What has ended. Everything that is named must be the same; `{}` is everything. */
export interface Ended {
  /** An employee, with every app. */
  subject?: string;
  /** An app, of every employee. The command-line client is named as the `clientId` of the service. */
  app?: string;
  machine?: string;
}

/** What an identity assertion (ID-JAG) says. */
export interface AssertionRequest extends Omit<Caller, "machine" | "app"> {
  /** Client id, at the authorization server, of the app that it was given to. Default: the `clientId` of the service. */
  app?: string;
  /** Thumbprint of the key that will redeem the assertion. Absent: an assertion bound to no key. */
  thumbprint?: string;
  /** Claims that replace the regular ones; `undefined` removes one. For tests of refusals. */
  claims?: Readonly<Record<string, unknown>>;
}

/** What an employee's access token from the authorization server says. */
export interface UserTokenRequest extends Omit<Caller, "machine" | "app"> {
  /** Client id of the app that it was given to. Default `https://agent.test/client.json`. */
  app?: string;
  /** Thumbprint of the key it is bound to. Absent: a Bearer token, for a service with `dpop: "allowed"`. */
  thumbprint?: string;
  /** Claims that replace the regular ones; `undefined` removes one. For tests of refusals. */
  claims?: Readonly<Record<string, unknown>>;
}

/** An issuer in the test process, and requests signed for one service. */
export interface TestIssuer {
  /** The issuer's URL, the first argument of `initAuthz`. */
  readonly url: string;
  /** Options for `initAuthz` that describe the service and reach this issuer without a network. */
  readonly options: AuthzOptions & { readonly resource: string };
  /** Serves the issuer's metadata, key set and token status list, and takes challenges. Part of `options`. */
  readonly fetch: typeof fetch;
  /** Signs one request. The access token comes from the SDK's own token route, unless a `machine` or an `app` is named. */
  signRequest(request: RequestToSign): Promise<SignedHeaders>;
  readonly defects: Defects;
  /** Issues an access token bound to the signer's key, for requests put together by hand. */
  issueAccessToken(signer: ProofSigner, caller?: Caller): Promise<string>;
  /** Issues an employee's access token for the service, as the authorization server does for any OAuth or MCP client. */
  issueUserToken(request?: UserTokenRequest): string;
  /** Issues an identity assertion, for tests of the token route itself. */
  issueAssertion(request?: AssertionRequest): string;
  /**
   * Ends what was issued so far, as when a person is disabled: the service refuses it once it has read the token status list again,
   * which it does when its copy is a second old by its `clock`. What is issued afterwards is good.
   */
  revoke(ended: Ended): void;
  /**
   * Approves a call that waits, as its person does at the authorization server: the next call that is equal in everything passes
   * `requireApproval()`, once.
   *
   * @throws {Error} No such call waits.
   */
  approve(call: CallToAnswer): void;
  /** Declines a call that waits: equal calls are refused. */
  decline(call: CallToAnswer): void;
  /** Signs the request with which the authorization server fetches the skill catalog. */
  signCatalogRequest(): { authorization: string };
  /** Stops listening. Nothing to do unless `listen` was set. */
  close(): Promise<void>;
}
