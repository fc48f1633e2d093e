import { PassThrough, type Readable, type Writable } from "node:stream";
import { isJSONRPCNotification, isJSONRPCRequest, StdioServerTransport, type Transport } from "./sdk.js";

type Message = Parameters<Transport["send"]>[0];

/**
 * The SDK's transport on standard input and output, which also answers what is still due when the input ends: a client that writes all questions
 * into a pipe gets all answers. The SDK's own leaves them unanswered.
 */
export class StdioTransport extends StdioServerTransport {
  /** Settles when the input has ended and all is answered, or when the reader of the answers is gone. */
  readonly closed: Promise<void>;
  readonly #input: Readable;
  readonly #held: PassThrough;
  readonly #due = new Set<unknown>();
  #hasEnded = false;
  #settleClosed: () => void = () => undefined;

  constructor(input: Readable, output: Writable) {
    const held = new PassThrough();
    super(held, output);
    this.#input = input;
    this.#held = held;
    this.closed = new Promise((resolve) => {
      this.#settleClosed = resolve;
    });
  }

  override async start(): Promise<void> {
    const { onmessage: deliver } = this;
    Object.assign(this, {
      onmessage: (message: Message) => {
        if (isJSONRPCRequest(message)) this.#due.add(message.id);
        deliver?.(message);
        // What was cancelled is not answered.
        if (isJSONRPCNotification(message) && message.method === "notifications/cancelled")
          this.#settle(message.params?.requestId);
      },
    });
    await super.start();
    this.#input.once("end", () => {
      this.#hasEnded = true;
      // The last line may be unfinished; an empty one means nothing.
      this.#held.write("\n");
      this.#endWhenAnswered();
    });
    this.#input.pipe(this.#held, { end: false });
  }

  override async send(message: Message): Promise<void> {
    await super.send(message);
    if (!("method" in message)) this.#settle(message.id);
  }

  override async close(): Promise<void> {
    await super.close();
    this.#input.unpipe(this.#held).pause();
    this.#settleClosed();
  }

  #settle(id: unknown): void {
    this.#due.delete(id);
    this.#endWhenAnswered();
  }

  #endWhenAnswered(): void {
    if (!this.#hasEnded || this.#due.size > 0) return;
    // The last messages may still be on their way.
    if (this.#held.writableLength + this.#held.readableLength > 0)
      setImmediate(() => this.#endWhenAnswered());
    else this.#held.end();
  }
}
