import type { JsonObject } from "@authz/dpop/jws";
import type { ConnectorAuthMethod, ConnectorKind } from "../../store/connectors.js";

/** A kind of third party: what is the same for everybody who uses it. */
export interface Kind {
  readonly kind: ConnectorKind;
  readonly name: string;
  readonly endpoints: KindEndpoints;
  /** What every authorization request there needs besides the protocol's own parameters. */
  readonly authorizationParameters: Readonly<Record<string, string>>;
  readonly scopes: readonly KindScope[];
  readonly requestPrefixes: readonly string[];
  /** Which of its own request headers its API takes. */
  readonly requestHeaders: readonly string[];
  readonly pathTemplates: readonly string[];
  /** Where an application is registered. */
  readonly registrationUrl: string | null;
  /** Where a person sees, and removes, the access that applications have. */
  readonly removalUrl: string | null;
  readonly quirks: KindQuirks;
}

/** What a customer replaces stands in braces; `null`: there is none, or it differs everywhere. */
export interface KindEndpoints {
  readonly issuer: string | null;
  readonly authorizationEndpoint: string | null;
  readonly tokenEndpoint: string | null;
  readonly revocationEndpoint: string | null;
  readonly accountEndpoint: string | null;
  readonly tokenEndpointAuthMethod: ConnectorAuthMethod;
}

interface KindScope {
  readonly scope: string;
  readonly required: boolean;
  readonly byDefault: boolean;
}

/** Where a third party departs from the standards. Nothing here: it does not. */
export interface KindQuirks {
  /** How scopes are asked for: `scope`, separated by spaces (RFC 6749 §3.3), unless it says otherwise. */
  readonly scopeParameter?: { readonly name: string; readonly separator: string };
  /** Turns an answer of the token endpoint into what RFC 6749 §5 says: tokens, or `error`. */
  readonly readTokens?: (answer: JsonObject) => JsonObject;
  /** Whose account a token is for, from the answer of the account endpoint. `undefined`: it does not say. */
  readonly readAccount?: (answer: JsonObject) => Account | undefined;
  /** Whether somebody who granted all these scopes granted this one too, although it is not among them. */
  readonly implies?: (granted: ReadonlySet<string>, scope: string) => boolean;
  /** The request that ends a token, when it is not the one of RFC 7009. `undefined`: such a token cannot be ended. */
  readonly revocation?: (token: RevocableToken, endpoint: string) => RevocationRequest | undefined;
}

export interface Account {
  /** Stable and never given to somebody else. */
  readonly subject: string;
  /** As a person recognises it. */
  readonly label: string;
}

export interface RevocableToken {
  readonly type: "refresh_token" | "access_token";
  readonly value: string;
  readonly clientId: string;
  readonly clientSecret: string | undefined;
}

/** A request of a kind's own, and how its answer is read. */
export interface RevocationRequest {
  readonly url: string;
  readonly method: "POST" | "DELETE";
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Whether the token is worth nothing now. */
  readonly isConfirmed: (status: number, answer: JsonObject | undefined) => boolean;
}
