/** A stream that can be read once, or a function that opens it anew for every attempt. */
export type ByteStream = AsyncIterable<Uint8Array> | (() => AsyncIterable<Uint8Array>);

/** A body as a request carries it. */
export type RequestBody = string | Uint8Array | ByteStream;

/** One HTTP request as the client sends it. Header names are lower case. */
export interface TransportRequest {
  method: string;
  url: string;
  headers: Readonly<Record<string, string>>;
  body?: RequestBody;
  /** Bytes of a body that is a stream, when they are known; without it the body is sent in chunks. */
  bodyLength?: number;
  signal?: AbortSignal;
  /** Seconds without any progress after which a request is given up, 30 unless given. */
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
 * Sends one request and returns its answer, also a redirect: a transport never follows one.
 * Rejects only when no answer arrived.
 */
export type Transport = (request: TransportRequest) => Promise<TransportAnswer>;

/** Whether a body can be sent more than once. */
export function isRepeatable(body: RequestBody | undefined): boolean {
  return (
    body === undefined || typeof body === "string" || typeof body === "function" || body instanceof Uint8Array
  );
}

/** Opens the stream of a body. */
export function openStream(stream: ByteStream): AsyncIterable<Uint8Array> {
  return typeof stream === "function" ? stream() : stream;
}

/** How long the head of an answer may take unless a request says otherwise. */
export const defaultTimeoutSeconds = 30;
