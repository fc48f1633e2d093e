import { connect, createServer, type Socket } from "node:net";

/** When a connection is cut, seen from the message that is waited for. */
export type CutMoment =
  /** The database never sees the message. */
  | "before"
  /** The database gets it; nobody waits for what it says. */
  | "during"
  /** The database has answered; the answer is lost. */
  | "after";

/** Stands between the servers and the database, and cuts where a test says. */
export interface TcpProxy {
  readonly port: number;
  /**
   * Cuts the next connection that sends this text. Resolves when it is cut, and everybody knows.
   *
   * @param after - what the connection must have sent before: every transaction says COMMIT
   */
  cutNext(text: string, moment: CutMoment, after?: string): Promise<void>;
  /** Cuts every connection at this moment. */
  cutAll(): void;
  close(): void;
}

interface Trap {
  readonly text: string;
  readonly moment: CutMoment;
  readonly after: string | undefined;
  readonly spring: () => void;
}

export function startTcpProxy(target: { readonly host: string; readonly port: number }): Promise<TcpProxy> {
  const pairs = new Set<readonly [Socket, Socket]>();
  let trap: Trap | undefined;

  const server = createServer((front) => {
    const back = connect(target);
    const pair = [front, back] as const;
    pairs.add(pair);
    let waiting: Trap | undefined;
    let sent = "";
    const cut = ({ spring }: Trap) => {
      front.destroy();
      back.destroy();
      spring();
    };
    front.on("data", (chunk) => {
      if (trap?.after !== undefined && chunk.includes(trap.after)) sent = trap.after;
      const isHere = trap?.after === undefined || trap.after === sent;
      const sprung = trap !== undefined && isHere && chunk.includes(trap.text) ? trap : undefined;
      if (sprung !== undefined) trap = undefined;
      if (sprung?.moment === "before") cut(sprung);
      else if (sprung?.moment === "during") back.write(chunk, () => cut(sprung));
      else {
        waiting = sprung;
        back.write(chunk);
      }
    });
    back.on("data", (chunk) => {
      if (waiting === undefined) front.write(chunk);
      // What it did is visible to others once it is ready for the next query.
      else if (isReadyForQuery(chunk)) cut(waiting);
    });
    for (const socket of pair) {
      socket.setNoDelay(true);
      socket.on("error", () => socket.destroy());
      socket.on("close", () => {
        front.destroy();
        back.destroy();
        pairs.delete(pair);
      });
    }
  });

  return new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      resolve({
        port: typeof address === "object" && address !== null ? address.port : 0,
        cutNext: (text, moment, after) =>
          new Promise((spring) => {
            trap = { text, moment, spring, after };
          }),
        cutAll: () => destroyAll(pairs),
        close() {
          server.close();
          destroyAll(pairs);
        },
      });
    });
  });
}

function destroyAll(pairs: Iterable<readonly [Socket, Socket]>): void {
  for (const pair of pairs) for (const socket of pair) socket.destroy();
}

/** The last message of an answer: "Z", length 5, one byte of status. */
function isReadyForQuery(chunk: Buffer): boolean {
  return chunk.length >= 6 && chunk.readInt32BE(chunk.length - 5) === 5 && chunk[chunk.length - 6] === 0x5a;
}
