import { once } from "node:events";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { createLog } from "../../src/log.js";
import { createProxyServer } from "../../src/server.js";
import type { TestUpstream } from "./upstream.js";

/** A proxy on a port of its own, and time that stands still until the test moves it. */
export interface TestProxy {
  readonly port: number;
  readonly log: readonly LogLine[];
  get(path: string, headers?: Record<string, string>): Promise<Response>;
  /** Writes these bytes on one connection and returns all that comes back until the proxy closes it. */
  send(bytes: string): Promise<string>;
  advance(seconds: number): void;
  /** Cuts what is still running, unless there is a grace time. */
  close(graceMilliseconds?: number): Promise<void>;
}

export interface LogLine {
  readonly level: number;
  readonly time: number;
  readonly msg: string;
  readonly [field: string]: unknown;
}

export interface TestProxyOptions {
  /** Without it, only the public CA bundle counts. */
  readonly upstreamCa?: string | undefined;
  readonly timeoutMilliseconds?: number;
  readonly forwardStatusList?: boolean;
}

export async function startProxy(upstream: TestUpstream, options: TestProxyOptions = {}): Promise<TestProxy> {
  const { timeoutMilliseconds, forwardStatusList = false } = options;
  const ca = "upstreamCa" in options ? options.upstreamCa : upstream.ca;
  const log: LogLine[] = [];
  let now = 0;
  const server = createProxyServer({
    upstream: upstream.origin,
    forwardStatusList,
    log: createLog(
      (line) => log.push(JSON.parse(line) as LogLine),
      () => 0,
    ),
    clock: () => now,
    ...(ca === undefined ? {} : { upstreamCa: ca }),
    ...(timeoutMilliseconds === undefined ? {} : { timeoutMilliseconds }),
  });
  const port = await server.listen(0);
  return {
    port,
    log,
    get: (path, headers = {}) => fetch(`http://127.0.0.1:${port}${path}`, { headers }),
    send: (bytes) => sendBytes(port, bytes),
    advance(seconds) {
      now += seconds * 1000;
    },
    close: (grace = 0) => server.close(grace),
  };
}

async function sendBytes(port: number, bytes: string): Promise<string> {
  const socket = connect(port, "127.0.0.1");
  await once(socket, "connect");
  const received = text(socket);
  socket.write(bytes, "latin1");
  return await received;
}

/** Status codes of the answers in what {@link TestProxy.send} returned, in order. */
export function statusesOf(received: string): number[] {
  return [...received.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));
}
