import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { setImmediate as nextTurn } from "node:timers/promises";
import { createProofSigner, type ProofSigner } from "@authz/dpop";
import type { Serving } from "./server-process.js";

const path = "/api/contracts";
/** As many requests are sent at a time. */
export const connections = 32;
/** How long the load generator looks away at a time. */
const pauseMs = 1;
const patienceMs = 30_000;

/** One client of the load generator: a key and the access token bound to it. */
interface LoadClient {
  readonly signer: ProofSigner;
  readonly accessToken: string;
}

/** Sends requests to one server, each with a proof of its own, over connections that are kept. */
export class LoadGenerator {
  readonly #url: URL;
  readonly #clients: readonly LoadClient[];
  readonly #connections: readonly Connection[];
  #next = 0;

  private constructor({ publicOrigin, credentials }: Serving, open: readonly Connection[]) {
    this.#url = new URL(path, publicOrigin);
    this.#clients = credentials.map(({ keyPair, accessToken }) => ({
      signer: createProofSigner(keyPair),
      accessToken,
    }));
    this.#connections = open;
  }

  static async start(serving: Serving): Promise<LoadGenerator> {
    const sockets = Array.from({ length: connections }, () => connect(serving.port, "127.0.0.1"));
    await Promise.all(sockets.map((socket) => once(socket, "connect")));
    return new LoadGenerator(
      serving,
      sockets.map((socket) => new Connection(socket)),
    );
  }

  /** Makes the requests of some bursts, of the clients in turn. */
  sign(bursts: number): readonly Buffer[] {
    return Array.from({ length: bursts * connections }, () => {
      const { signer, accessToken } = this.#clients[this.#next++ % this.#clients.length] as LoadClient;
      const dpop = signer.sign({ method: "GET", url: this.#url.href, accessToken });
      const headers = `host: ${this.#url.host}\r\nauthorization: DPoP ${accessToken}\r\ndpop: ${dpop}`;
      return Buffer.from(`GET ${path} HTTP/1.1\r\n${headers}\r\n\r\n`);
    });
  }

  /**
   * Sends requests, one at a time on each connection, and looks for the answers from time to time: it never waits for them, because
   * then the server would pay for waking it up, and a fast one less often than a slow one.
   *
   * @throws {Error} An answer was not 200, or none came: the figures would be about something else.
   */
  async send(requests: readonly Buffer[]): Promise<void> {
    for (let sent = 0; sent < requests.length; sent += connections) {
      const until = Date.now() + patienceMs;
      for (const [index, connection] of this.#connections.entries()) {
        connection.send(requests[sent + index] as Buffer);
      }
      while (this.#connections.some((connection) => connection.isWaiting)) {
        if (Date.now() > until) throw new Error("A server does not answer.");
        pause();
        // oxlint-disable-next-line no-await-in-loop -- until all are there
        await nextTurn();
      }
    }
  }
}

/** One connection. It understands answers that say how long they are. */
class Connection {
  isWaiting = false;
  readonly #socket: Socket;
  #received = "";

  constructor(socket: Socket) {
    this.#socket = socket.setNoDelay().setEncoding("latin1");
    socket.on("data", (text: string) => this.#receive(text));
    socket.on("error", (error) => {
      throw error;
    });
  }

  send(request: Buffer): void {
    this.isWaiting = true;
    this.#socket.write(request);
  }

  #receive(text: string): void {
    this.#received += text;
    const end = this.#received.indexOf("\r\n\r\n");
    if (end === -1) return;
    const length = /\r\ncontent-length: (\d+)\r\n/i.exec(this.#received)?.[1];
    if (!this.#received.startsWith("HTTP/1.1 200 ") || length === undefined)
      throw new Error(`An answer is not what was expected: ${this.#received}`);
    if (this.#received.length < end + 4 + Number(length)) return;
    this.#received = "";
    this.isWaiting = false;
  }
}

const never = new Int32Array(new SharedArrayBuffer(4));

/** Sleeps without waiting for a socket. */
function pause(): void {
  Atomics.wait(never, 0, 0, pauseMs);
}
