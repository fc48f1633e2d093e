/** How much one forwarded request may take. */
export interface ForwardLimits {
  readonly requestBytes: number;
  readonly responseBytes: number;
  /** For everything together. */
  readonly timeoutSeconds: number;
  /** Of one person. */
  readonly requestsPerMinute: number;
}

/** Whom requests are forwarded to: a third party, or a service of the company. */
export interface Destination {
  readonly name: string;
  /** Which addresses are its own. */
  readonly requestPrefixes: readonly string[];
  /** Lower-case names of the request headers that it takes beside the usual ones. */
  readonly requestHeaders: readonly string[];
  readonly limits: ForwardLimits;
  /** Administrators cannot change the limits. */
  readonly limitsAreFixed?: true;
}
