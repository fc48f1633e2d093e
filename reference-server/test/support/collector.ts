import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** A span, as OTLP/HTTP in JSON brings it. */
export interface ReceivedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly status: { readonly code?: number };
  readonly attributes: readonly { readonly key: string; readonly value: Record<string, unknown> }[];
}

/** An OpenTelemetry collector that remembers what it was sent. */
export interface Collector {
  readonly origin: string;
  readonly spans: readonly ReceivedSpan[];
  readonly contentTypes: readonly (string | undefined)[];
  /** The attributes of the resource, of the last request. */
  readonly resource: () => Readonly<Record<string, unknown>>;
  /** Answers with 400 from now on. */
  refuse(): void;
  close(): Promise<void>;
}

interface TraceRequest {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: ReceivedSpan["attributes"] };
    readonly scopeSpans: readonly { readonly spans: readonly ReceivedSpan[] }[];
  }[];
}

export async function startCollector(): Promise<Collector> {
  const spans: ReceivedSpan[] = [];
  const contentTypes: (string | undefined)[] = [];
  let resource: Record<string, unknown> = {};
  let status = 200;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      contentTypes.push(request.headers["content-type"]);
      if (request.url === "/v1/traces" && request.headers["content-type"] === "application/json") {
        const body = JSON.parse(Buffer.concat(chunks).toString()) as TraceRequest;
        for (const { resource: from, scopeSpans } of body.resourceSpans) {
          resource = attributesOf(from);
          spans.push(...scopeSpans.flatMap((scope) => scope.spans));
        }
      }
      response.writeHead(status, { "content-type": "application/json" }).end("{}");
    });
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${port}`,
    spans,
    contentTypes,
    resource: () => resource,
    refuse: () => void (status = 400),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

export function attributesOf(span: Pick<ReceivedSpan, "attributes">): Record<string, unknown> {
  return Object.fromEntries(span.attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
}
