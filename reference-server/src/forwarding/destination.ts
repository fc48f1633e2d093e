/** Limits of one forwarded request. */
export interface ForwardLimits {
  readonly requestBytes: number;
  readonly responseBytes: number;
  /** For request and answer together. */
  readonly timeoutSeconds: number;
  /** Of one person. */
  readonly requestsPerMinute: number;
}

/** Where requests are forwarded to: a third party, or a service of the company. */
export interface Destination {
  readonly name: string;
  /** The addresses that it covers. */
  readonly requestPrefixes: readonly string[];
  /** Lower-case names of request headers that are passed on beside the usual ones. */
  readonly requestHeaders: readonly string[];
  readonly limits: ForwardLimits;
  /** Administrators cannot change the limits. */
  readonly limitsAreFixed?: true;
}
