import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { BlockList, isIPv6 } from "node:net";

export interface LoopbackServerOptions {
  /** Default: a free one. */
  readonly port?: number;
  /** A loopback address, nothing else. Default: `127.0.0.1`. */
  readonly host?: string;
}

/** A server that only this computer can reach. */
export interface LoopbackServer {
  /** `http://127.0.0.1:43117`, without a slash at its end. */
  readonly origin: string;
  readonly port: number;
  /** Begins to answer. */
  readonly serve: (
    answer: (request: IncomingMessage, response: ServerResponse, about: AskedAddress) => void,
  ) => void;
  readonly close: () => Promise<void>;
}

/** The address that a request names. */
export interface AskedAddress {
  /** Without the query. */
  readonly path: string;
  /** For another host than this one: a page on the internet may point its own name at 127.0.0.1, but its requests still carry that name. */
  readonly isForeign: boolean;
}

/**
 * Listens on a loopback address, for providers whose accounts have no passwords.
 *
 * @throws {TypeError} `host` is not a loopback address.
 */
export async function startLoopbackServer(options: LoopbackServerOptions): Promise<LoopbackServer> {
  const { host = "127.0.0.1", port: wanted = 0 } = options;
  if (!isLoopback(host)) {
    throw new TypeError(
      `host: ${host} is not a loopback address. There are no passwords here, so use 127.0.0.1 or ::1.`,
    );
  }
  const server = createServer();
  const port = await listen(server, host, wanted);
  const authority = `${isIPv6(host) ? `[${host}]` : host}:${port}`;
  const origin = `http://${authority}`;
  return {
    origin,
    port,
    serve: (answer) => {
      server.on("request", (request, response) => {
        const path = new URL(request.url ?? "/", origin).pathname;
        answer(request, response, { path, isForeign: request.headers.host !== authority });
      });
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function isLoopback(host: string): boolean {
  const loopback = new BlockList();
  loopback.addSubnet("127.0.0.0", 8, "ipv4");
  loopback.addAddress("::1", "ipv6");
  return loopback.check(host, isIPv6(host) ? "ipv6" : "ipv4");
}

function listen(server: ReturnType<typeof createServer>, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen({ host, port }, () => {
      server.off("error", reject);
      const address = server.address();
      resolve(typeof address === "object" && address !== null ? address.port : port);
    });
  });
}

/** Removes a cookie from a request: in development, becoming someone else must take one click. */
export function forgetCookie({ headers }: IncomingMessage, name: string): void {
  const kept = headers.cookie?.split("; ").filter((cookie) => !cookie.startsWith(name));
  headers.cookie = kept?.join("; ");
}
