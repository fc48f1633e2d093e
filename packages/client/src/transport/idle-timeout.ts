import { type ByteStream, openStream } from "./transport.js";

/** How long a request may stand still before it is given up. */
export interface IdleTimeout {
  /** Ends the limit on the wait for the answer's head. */
  headArrived(): void;
  /** The stream of the request's body: each chunk restarts the wait. */
  whileSending(stream: ByteStream): AsyncIterable<Uint8Array>;
  /** The stream of the answer's body: the wait for each part is limited. A reader may take as long as it likes. */
  whileReceiving(stream: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array>;
}

/** Calls `giveUp` when nothing moves for so many seconds: before the head of the answer, and between parts of its body. */
export function createIdleTimeout(seconds: number, giveUp: (reason: Error) => void): IdleTimeout {
  const limit = (what: string): NodeJS.Timeout =>
    setTimeout(
      () => giveUp(new Error(`No ${what} within ${String(seconds)} second${seconds === 1 ? "" : "s"}.`)),
      seconds * 1000,
    );
  let head: NodeJS.Timeout | undefined = limit("answer");
  return {
    headArrived: () => {
      clearTimeout(head);
      head = undefined;
    },
    async *whileSending(stream) {
      for await (const chunk of openStream(stream)) {
        head?.refresh();
        yield chunk;
      }
      head?.refresh();
    },
    async *whileReceiving(stream) {
      let timer = limit("more of the answer");
      try {
        for await (const chunk of stream) {
          clearTimeout(timer);
          yield chunk;
          timer = limit("more of the answer");
        }
      } finally {
        clearTimeout(timer);
      }
    },
  };
}
