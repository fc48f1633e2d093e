import type { AuthorizationDetail } from "@authz/dpop/approval";
import type { Actor } from "@authz/dpop/jwt";
import type { AuthzResponse } from "./messages.js";

/** The caller. */
export interface Identity {
  /** `user`: a person. `machine`: a registered machine client, acting for itself. */
  readonly type: "user" | "machine";
  /** The verified subject. Mapping it to local records is up to the application. */
  readonly subject: string;
  readonly email?: string;
  readonly name?: string;
}

/** The verified authorization of one request. Frozen, and shared by the requests made with one access token. */
export interface Auth {
  readonly identity: Identity;
  /** The scopes of the access token. */
  readonly scopes: readonly string[];
  /**
   * The client that got the access token: its id at the authorization server, or the `clientId` option for a token that this
   * service issued.
   */
  readonly clientId: string;
  /**
   * The app through which a person calls: `subject` is its id at the authorization server, or, for an app that is not registered
   * there, the address of its metadata document. Never present for a machine.
   *
   * @see {@link https://www.rfc-editor.org/rfc/rfc8693#section-4.1 | RFC 8693 §4.1}
   */
  readonly actor?: Actor;
  /** The access token's `jti`, for logs. */
  readonly tokenId: string;
  /** When the access token expires, in seconds since 1970. */
  readonly expiresAt: number;
  /** The person's approval of this call. Present after `requireApproval()`, for a call that needed one, and only there. */
  readonly transaction?: Transaction;
}

/** A person's approval of one call. It was spent when the guard let the call pass. */
export interface Transaction {
  /** The `txn` of the challenge. */
  readonly id: string;
  /** What the person approved. */
  readonly details: AuthorizationDetail;
  /** The subject of the approver, who can be another person than the caller. */
  readonly approvedBy: string;
  /** In seconds since 1970. */
  readonly approvedAt: number;
}

/** What a route requires of its caller, beyond valid authorization. */
export interface Policy {
  /** All of these are needed. */
  readonly scopes?: readonly string[];
  /** At least one of these is needed. */
  readonly anyScopes?: readonly string[];
}

/** The decision on a request: the caller may pass, or gets the answer in `refusal`. */
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
