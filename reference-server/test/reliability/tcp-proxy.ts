import { connect, createServer, type Socket } from "node:net";

/** When a connection is cut or held, seen from the message that is waited for. */
export type CutMoment =
  /** The database never sees the message. */
  | "before"
  /** The database gets it; nobody waits for what it says. */
  | "during"
  /** The database has answered; the answer is lost. */
  | "after";

/** Stands between the servers and the database, and cuts or holds where a test says. */
export interface TcpProxy {
  readonly port: number;
  /**
   * Cuts the next connection that sends this text. Resolves when it is cut, and everybody knows.
   *
   * @param after - what must have been sent before in the same transaction: every transaction says COMMIT
   */
  cutNext(text: string, moment: CutMoment, ...after: readonly string[]): Promise<void>;
  /** Like `cutNext`, but the connection stays open, and nothing goes through it any more. */
  holdNext(text: string, moment: "before" | "after", ...after: readonly string[]): Promise<void>;
  /** Cuts every connection at this moment. */
  cutAll(): void;
  /**
   * From now on nothing goes through the connections that are open, in either direction, and nobody is told: as after a
   * fail-over, or when a router forgets them.
   */
  dropOpen(): void;
  /** The same, and new connections are not answered either until `answerNew`. */
  dropAll(): void;
  /** How many connections came and were not answered. */
  unanswered(): number;
  answerNew(): void;
  close(): void;
}

interface Trap {
  /** All of them are said in one transaction, the first one last. */
  readonly texts: readonly [string, ...string[]];
  readonly moment: CutMoment;
  readonly effect: "cut" | "hold";
  readonly spring: () => void;
}

export function startTcpProxy(target: { readonly host: string; readonly port: number }): Promise<TcpProxy> {
  const pairs = new Set<readonly [Socket, Socket]>();
  const traps = new Set<Trap>();
  const dropped = new WeakSet<Socket>();
  /** Ends of dropped connections, whose other end believes that they are open. */
  const stranded = new Set<Socket>();
  let isAnswering = true;
  let unanswered = 0;
  const dropOpen = () => {
    for (const [front, back] of pairs) {
      dropped.add(front);
      stranded.add(front).add(back);
    }
    pairs.clear();
  };

  const server = createServer((front) => {
    if (!isAnswering) {
      unanswered += 1;
      stranded.add(front.on("error", () => front.destroy()).resume());
      return;
    }
    const back = connect(target);
    const pair = [front, back] as const;
    pairs.add(pair);
    let waiting: Trap | undefined;
    let isHeld = false;
    /** What was sent since the database was last ready outside of a transaction. */
    let said = "";
    const stop = ({ effect, spring }: Trap) => {
      isHeld = true;
      if (effect === "cut") {
        front.destroy();
        back.destroy();
      }
      spring();
    };
    front.on("data", (chunk) => {
      if (isHeld || dropped.has(front)) return;
      const text = chunk.toString("latin1");
      said += text;
      const sprung = [...traps].find(
        ({ texts }) => text.includes(texts[0]) && texts.every((one) => said.includes(one)),
      );
      if (sprung !== undefined) traps.delete(sprung);
      if (sprung?.moment === "before") stop(sprung);
      else if (sprung?.moment === "during") back.write(chunk, () => stop(sprung));
      else {
        waiting ??= sprung;
        back.write(chunk);
      }
    });
    back.on("data", (chunk) => {
      if (isHeld || dropped.has(front)) return;
      const status = readyStatus(chunk);
      if (status === "I") said = "";
      if (waiting === undefined) front.write(chunk);
      // What it did is visible to others once it is ready for the next query.
      else if (status !== undefined) stop(waiting);
    });
    for (const socket of pair) {
      socket.setNoDelay(true);
      socket.on("error", () => socket.destroy());
      socket.on("close", () => {
        if (dropped.has(front)) return;
        front.destroy();
        back.destroy();
        pairs.delete(pair);
      });
    }
  });
  const set = (effect: Trap["effect"], moment: CutMoment, texts: Trap["texts"]) =>
    new Promise<void>((spring) => void traps.add({ texts, moment, effect, spring }));

  return new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      resolve({
        port: typeof address === "object" && address !== null ? address.port : 0,
        cutNext: (text, moment, ...after) => set("cut", moment, [text, ...after]),
        holdNext: (text, moment, ...after) => set("hold", moment, [text, ...after]),
        cutAll: () => destroyAll(pairs),
        dropOpen,
        dropAll() {
          isAnswering = false;
          dropOpen();
        },
        unanswered: () => unanswered,
        answerNew() {
          isAnswering = true;
        },
        close() {
          server.close();
          destroyAll([...pairs, stranded]);
        },
      });
    });
  });
}

function destroyAll(pairs: Iterable<Iterable<Socket>>): void {
  for (const pair of pairs) for (const socket of pair) socket.destroy();
}

/** The last message of an answer is "Z", length 5, one byte: "I" outside of a transaction. */
function readyStatus(chunk: Buffer): string | undefined {
  const isReady =
    chunk.length >= 6 && chunk.readInt32BE(chunk.length - 5) === 5 && chunk[chunk.length - 6] === 0x5a;
  return isReady ? String.fromCodePoint(chunk[chunk.length - 1] ?? 0) : undefined;
}
