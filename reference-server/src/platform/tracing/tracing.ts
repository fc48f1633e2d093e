type Attributes = Readonly<Record<string, string | number>>;

interface SpanStart {
  readonly name: string;
  readonly kind: "server" | "client";
  readonly attributes: Attributes;
  /** The headers of a request whose trace this span continues (W3C Trace Context). */
  readonly headers?: Readonly<Record<string, unknown>>;
}

/** A piece of work that is being measured. */
export interface TraceSpan {
  readonly traceId: string;
  /** Runs work; spans that begin in it become children. */
  run<T>(work: () => T): T;
  set(attributes: Attributes): void;
  fail(error: unknown): void;
  end(): void;
}

/** What the server needs to know about tracing. Absent when nobody asked for traces. */
export interface Tracing {
  start(span: SpanStart): TraceSpan;
  /** Whether there is a span that a new one would become a child of. */
  isActive(): boolean;
  /** The headers that continue the current trace at another server. */
  headers(): Readonly<Record<string, string>>;
  /** Sends what is not sent yet. */
  close(): Promise<void>;
}
