import { setImmediate as nextTurn } from "node:timers/promises";
import { createProofSigner, type ProofSigner } from "@authz/dpop";
import { KeptConnection } from "../kept-connection.js";
import type { Serving } from "./server-process.js";
import { path } from "./variants.js";

/** As many requests are sent at a time. */
export const connections = 32;
/** How long the load generator sleeps between two looks at its sockets. */
const pauseMs = 1;
const patienceMs = 30_000;

/** Sends requests to one server, each with a proof of its own, over connections that are kept. */
export class LoadGenerator {
  readonly #url: URL;
  readonly #clients: readonly { readonly signer: ProofSigner; readonly accessToken: string }[];
  readonly #connections: readonly KeptConnection[];
  #next = 0;

  private constructor({ publicOrigin, credentials }: Serving, open: readonly KeptConnection[]) {
    this.#url = new URL(path, publicOrigin);
    this.#clients = credentials.map(({ keyPair, accessToken }) => ({
      signer: createProofSigner(keyPair),
      accessToken,
    }));
    this.#connections = open;
  }

  static async start(serving: Serving): Promise<LoadGenerator> {
    const open = Array.from({ length: connections }, () => KeptConnection.open(serving.port));
    return new LoadGenerator(serving, await Promise.all(open));
  }

  /** Makes the requests of some bursts, of the clients in turn. */
  sign(bursts: number): readonly Buffer[] {
    return Array.from({ length: bursts * connections }, () => {
      const client = this.#clients[this.#next++ % this.#clients.length];
      if (client === undefined) throw new RangeError("There are no clients.");
      const { signer, accessToken } = client;
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
      const burst = { isOver: false };
      const answers = Promise.all(
        this.#connections.map((connection, index) => connection.send(requests[sent + index] as Buffer)),
      ).finally(() => {
        burst.isOver = true;
      });
      answers.catch(() => undefined);
      const until = Date.now() + patienceMs;
      while (!burst.isOver) {
        if (Date.now() > until) throw new Error("A server does not answer.");
        // Sleeps without waiting for a socket.
        Atomics.wait(never, 0, 0, pauseMs);
        await nextTurn();
      }
      const unexpected = (await answers).find(({ status }) => status !== 200);
      if (unexpected !== undefined) throw new Error(`An answer was ${unexpected.status}: ${unexpected.body}`);
    }
  }
}

const never = new Int32Array(new SharedArrayBuffer(4));
