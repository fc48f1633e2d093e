import { createServer, globalAgent, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setImmediate } from "node:timers/promises";

/** One request as a test server sees it. */
export interface SeenRequest {
  method: string;
  path: string;
  url: URL;
  headers: IncomingMessage["headers"];
  rawHeaders: readonly string[];
  body: string;
  form: URLSearchParams;
}

/** What a test server answers. */
export interface TestAnswer {
  status: number;
  headers?: Record<string, string>;
  body?: unknown;
}

/** `drop` does the work and closes the connection without an answer, `after` waits first; the others answer instead of working. */
export type Fault = "drop" | { after: Promise<void> } | TestAnswer | ((request: SeenRequest) => TestAnswer);

export interface TestServer {
  origin: string;
  seen: SeenRequest[];
  /** Faults by path; each is used once, in order. */
  faults: Map<string, Fault[]>;
  fail(path: string, ...faults: Fault[]): void;
  count(path: string): number;
  close(): Promise<void>;
}

/** Starts a real HTTP server on port 0 of 127.0.0.1 and remembers every request. */
export async function startTestServer(
  handle: (request: SeenRequest, response: ServerResponse) => Promise<TestAnswer | undefined>,
): Promise<TestServer> {
  const seen: SeenRequest[] = [];
  const faults = new Map<string, Fault[]>();
  const server = createServer((incoming, response) => {
    respond(incoming, response).catch((error: unknown) => {
      response.writeHead(500, { "content-type": "text/plain" }).end(String(error));
    });
  });
  async function respond(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const request = await readRequest(incoming);
    seen.push(request);
    const fault = faults.get(request.path)?.shift();
    if (fault === "drop") {
      await handle(request, response);
      incoming.socket.destroy();
      return;
    }
    const answer = await answerTo(request, fault, response);
    if (answer === undefined) return;
    const json = typeof answer.body === "object" && !(answer.body instanceof Uint8Array);
    response.writeHead(answer.status, {
      ...(json ? { "content-type": "application/json" } : {}),
      ...answer.headers,
    });
    response.end(json ? JSON.stringify(answer.body) : (answer.body as string | Uint8Array | undefined));
  }
  async function answerTo(
    request: SeenRequest,
    fault: Exclude<Fault, "drop"> | undefined,
    response: ServerResponse,
  ): Promise<TestAnswer | undefined> {
    if (typeof fault === "function") return fault(request);
    if (fault !== undefined && "status" in fault) return fault;
    await fault?.after;
    return await handle(request, response);
  }
  await new Promise<void>((listening) => {
    server.listen(0, "127.0.0.1", listening);
  });
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${String(port)}`,
    seen,
    faults,
    fail: (path, ...list) => {
      faults.set(path, [...(faults.get(path) ?? []), ...list]);
    },
    count: (path) => seen.filter((request) => request.path === path).length,
    close: async () => {
      await new Promise<void>((closed) => {
        server.close(() => closed());
        server.closeAllConnections();
      });
      // Clients in this process keep idle connections, which the next request would take for open.
      const idle = globalAgent.freeSockets[`127.0.0.1:${String(port)}:`] ?? [];
      for (const socket of idle) socket.destroy();
      // `fetch` keeps its own, and notices their end in the next turns of the event loop.
      await setImmediate();
      await setImmediate();
    },
  };
}

async function readRequest(incoming: IncomingMessage): Promise<SeenRequest> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  const body = Buffer.concat(chunks).toString();
  const url = new URL(incoming.url ?? "/", `http://${incoming.headers.host ?? "127.0.0.1"}`);
  return {
    method: incoming.method ?? "",
    path: url.pathname,
    url,
    headers: incoming.headers,
    rawHeaders: incoming.rawHeaders,
    body,
    form: new URLSearchParams(body),
  };
}

export function oauthError(
  status: number,
  error: string,
  description = `The test says ${error}.`,
): TestAnswer {
  return { status, body: { error, error_description: description } };
}
