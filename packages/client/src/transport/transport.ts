/** One HTTP request as the client sends it. Header names are lower case. */
export interface TransportRequest {
  method: string;
  url: string;
  headers: Readonly<Record<string, string>>;
  body?: string | Uint8Array | AsyncIterable<Uint8Array>;
  signal?: AbortSignal;
  /** Seconds until the head of the answer must be there. */
  timeoutSeconds?: number;
}

/** The answer to one request. Header names are lower case; repeated headers are joined with a comma. */
export interface TransportAnswer {
  status: number;
  headers: Readonly<Record<string, string>>;
  body: AsyncIterable<Uint8Array>;
  /** Gives the connection back without reading the body. */
  discard(): void;
}

/**
 * Sends one request and answers with whatever came back, redirects included: a transport never follows one.
 * Rejects only when no answer arrived.
 */
export type Transport = (request: TransportRequest) => Promise<TransportAnswer>;

/** How long the head of an answer may take unless a request says otherwise. */
export const DEFAULT_TIMEOUT_SECONDS = 30;
