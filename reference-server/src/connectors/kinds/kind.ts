import type { JsonObject } from "@authz/dpop/jws";
import type { ConnectorAuthMethod, ConnectorKind } from "../../store/connectors.js";

/** A kind of third party: what is the same for all its customers. */
export interface Kind {
  readonly kind: ConnectorKind;
  readonly name: string;
  readonly endpoints: KindEndpoints;
  /** Parameters of every authorization request besides those of the protocol. */
  readonly authorizationParameters: Readonly<Record<string, string>>;
  readonly scopes: readonly KindScope[];
  readonly requestPrefixes: readonly string[];
  /** Its API's own request headers. */
  readonly requestHeaders: readonly string[];
  readonly pathTemplates: readonly string[];
  /** Where an application is registered. */
  readonly registrationUrl: string | null;
  /** Where a person sees, and removes, the access that applications have. */
  readonly removalUrl: string | null;
  readonly quirks: KindQuirks;
}

/** Placeholders are in braces; `null`: there is none, or each installation has its own. */
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

/** Where a third party departs from the standards. */
export interface KindQuirks {
  /** Parameter and separator of scopes. Default: `scope`, separated by spaces (RFC 6749 §3.3). */
  readonly scopeParameter?: { readonly name: string; readonly separator: string };
  /** Turns an answer of the token endpoint into one of RFC 6749 §5: tokens, or `error`. */
  readonly readTokens?: (answer: JsonObject) => JsonObject;
  /** The account of a token, from the answer of the account endpoint. `undefined`: the answer names none. */
  readonly readAccount?: (answer: JsonObject) => Account | undefined;
  /** Whether these granted scopes include this one under another name, or in a wider one. */
  readonly implies?: (granted: ReadonlySet<string>, scope: string) => boolean;
  /** The request that revokes a token, if it is not the one of RFC 7009. `undefined`: such a token cannot be revoked. */
  readonly revocation?: (token: RevocableToken, endpoint: string) => RevocationRequest | undefined;
}

export interface Account {
  /** Stable and never reassigned. */
  readonly subject: string;
  /** By which the person recognizes it. */
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
  /** Whether the token is revoked. */
  readonly isConfirmed: (status: number, answer: JsonObject | undefined) => boolean;
}
