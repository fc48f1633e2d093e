/** A request as `decide` needs it, independent of the framework. */
export interface AuthzRequest {
  readonly method: string;
  /** The request target as received, in origin form or absolute form. Its host is ignored. */
  readonly url: string;
  /** Every `Authorization` header line. Frameworks merge or drop duplicates: read `rawHeaders`. */
  readonly authorization: readonly string[];
  /** Every `DPoP` header line. */
  readonly dpop: readonly string[];
  /** Every `Content-Type` header line. Without this member, `body` counts as a form. */
  readonly contentType?: readonly string[];
  /**
   * Every line of any other header, by its name in lower case. Without this member, access tokens for one approved call are refused,
   * and no call can be approved.
   */
  readonly header?: (name: string) => readonly string[];
  /**
   * The body, if it was read: bytes, text, fields, `URLSearchParams` or `FormData`. A second token in a form makes the request
   * ambiguous.
   */
  readonly body?: unknown;
}

/** A request to one of the routes. */
export interface RouteRequest extends AuthzRequest {
  readonly contentType: readonly string[];
  readonly ifNoneMatch: readonly string[];
  /** The raw body, at least its first 64 KiB and one byte, or the result of a body parser. */
  readonly body?: unknown;
}

/** A response to send unchanged: names in lower case, values and body byte for byte. */
export interface AuthzResponse<Body extends string | Uint8Array = string> {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body: Body;
}

/** The response of a route. Files of skills are bytes, everything else is text. */
export type RouteResponse = AuthzResponse<string | Uint8Array>;

/** One route to mount. */
export interface AuthzRoute {
  readonly method: "GET" | "POST";
  /** The path on the service's own origin, to be matched exactly. `:name` matches any one segment. */
  readonly path: string;
  /** Answers a request. A refusal is a response; only an unexpected error rejects. */
  handle(request: RouteRequest): Promise<RouteResponse>;
}
