import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { isUnchanged } from "./answer.js";
import { createServer } from "./builtins.js";
import type { Log } from "./log.js";
import { badRequest, methodNotAllowed, notFound, refusalOf } from "./refusal.js";
import { createResource, type MonotonicClock, type Reply, type Resource } from "./resource.js";
import { createUpstream, type UpstreamDocument, UpstreamError } from "./upstream.js";

/** The forwarded documents. Nothing else is requested from the upstream. */
const discovery: readonly UpstreamDocument[] = [
  "/.well-known/oauth-authorization-server",
  "/api/oauth/jwks",
].map((path) => ({ path, accept: "application/json", maxBodyBytes: 256 * 1024 }));

/** Forwarded only if the operator wants that. The limit is that of the SDK. */
const statusList: UpstreamDocument = {
  path: "/oauth/status",
  accept: "application/statuslist+jwt",
  maxBodyBytes: 4 * 1024 * 1024,
};

export interface ProxyServerOptions {
  /** `https` origin of the authorization server. */
  readonly upstream: string;
  /** PEM certificates that replace the public CA bundle. */
  readonly upstreamCa?: string;
  /** Default: false. */
  readonly forwardStatusList?: boolean;
  readonly log: Log;
  readonly clock?: MonotonicClock;
  readonly timeoutMilliseconds?: number;
}

export interface ProxyServer {
  /** Opens the port, 0 for any, on every address; returns the port. */
  listen(port: number): Promise<number>;
  /** Refuses new connections, waits for running requests, and closes the rest after the grace time. */
  close(graceMilliseconds: number): Promise<void>;
}

const defaultTimeoutMilliseconds = 5_000;

export function createProxyServer(options: ProxyServerOptions): ProxyServer {
  const { log, clock = () => process.uptime() * 1000 } = options;
  const upstream = createUpstream({
    origin: options.upstream,
    ca: options.upstreamCa,
    timeoutMilliseconds: options.timeoutMilliseconds ?? defaultTimeoutMilliseconds,
  });
  const documents = options.forwardStatusList === true ? [...discovery, statusList] : discovery;
  const resources = new Map<string, Resource>(
    documents.map((document) => [document.path, createResource({ document, upstream, clock, log })]),
  );
  let closing = false;

  function handle(request: IncomingMessage, response: ServerResponse): void {
    const { hosts, hasBody, ifNoneMatch } = readRequestHeaders(request.rawHeaders);
    // Neither a body nor anything after it is read, so that it cannot be parsed as a request.
    if (hasBody || hosts > 1) response.shouldKeepAlive = false;
    if (hosts > 1) return write(response, badRequest);
    const resource = find(request.url ?? "");
    if (resource === undefined) return write(response, notFound);
    if (request.method !== "GET") return write(response, methodNotAllowed);
    const fresh = resource.fresh();
    if (fresh !== undefined) return give(response, fresh, ifNoneMatch);
    resource.ask().then(
      (reply) => give(response, reply, ifNoneMatch),
      (error: unknown) => {
        if (error instanceof UpstreamError) write(response, refusalOf(error.reason));
        else response.destroy(error as Error);
      },
    );
  }

  /** Exact match only; the query is dropped. */
  function find(target: string): Resource | undefined {
    return resources.get(target) ?? resources.get(target.split("?", 1)[0] ?? "");
  }

  function give(response: ServerResponse, reply: Reply, ifNoneMatch: string | undefined): void {
    const { answer, headers, notModifiedHeaders } = reply;
    if (ifNoneMatch !== undefined && isUnchanged(answer, ifNoneMatch)) {
      write(response, { status: 304, headers: notModifiedHeaders });
    } else {
      write(response, { status: answer.status, headers, body: answer.body });
    }
  }

  function write(response: ServerResponse, { status, headers, body = "" }: Written): void {
    if (closing) response.shouldKeepAlive = false;
    response.writeHead(status, headers);
    response.end(body, "latin1");
  }

  const server = createServer(
    { requestTimeout: 15_000, connectionsCheckingInterval: 5_000, keepAliveTimeout: 75_000 },
    handle,
  );
  // Without this, Node would send 100 Continue for a body that is never read.
  server.on("checkContinue", handle);
  server.on("connect", refuseTunnel);
  return {
    async listen(port) {
      await new Promise<void>((resolve, reject) => {
        server.once("error", reject);
        server.listen(port, resolve);
      });
      return (server.address() as AddressInfo).port;
    },
    async close(graceMilliseconds) {
      closing = true;
      const cut = setTimeout(() => server.closeAllConnections(), graceMilliseconds);
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
      });
      clearTimeout(cut);
      upstream.close();
    },
  };
}

interface Written {
  readonly status: number;
  readonly headers: string[];
  readonly body?: string;
}

/** Refuses CONNECT, which names a host and not one of the paths. */
function refuseTunnel(_request: IncomingMessage, socket: Duplex): void {
  socket.on("error", () => socket.destroy());
  socket.end("HTTP/1.1 404 Not Found\r\nConnection: close\r\nContent-Length: 0\r\n\r\n");
}

/** The used headers of a request. None of them is sent upstream. */
interface RequestHeaders {
  readonly hosts: number;
  readonly hasBody: boolean;
  readonly ifNoneMatch: string | undefined;
}

/** Reads the raw names and values in turn, because `headers` hides repeated ones. */
function readRequestHeaders(raw: readonly string[]): RequestHeaders {
  let hosts = 0;
  let hasBody = false;
  let ifNoneMatch: string | undefined;
  for (let at = 0; at < raw.length; at += 2) {
    const name = raw[at] ?? "";
    const value = raw[at + 1] ?? "";
    switch (name.toLowerCase()) {
      case "host":
        hosts += 1;
        break;
      case "transfer-encoding":
        hasBody = true;
        break;
      case "content-length":
        hasBody ||= value !== "0";
        break;
      case "if-none-match":
        ifNoneMatch = ifNoneMatch === undefined ? value : `${ifNoneMatch}, ${value}`;
        break;
      default:
    }
  }
  return { hosts, hasBody, ifNoneMatch };
}
