import { PassThrough, type Readable, type Writable } from "node:stream";
import { isJSONRPCNotification, isJSONRPCRequest, StdioServerTransport, type Transport } from "./sdk.js";

type Message = Parameters<Transport["send"]>[0];

/**
 * The SDK's transport on standard input and output, which also answers what is still due when the input ends: whoever writes all questions
 * into a pipe gets all answers. The SDK's own leaves them unanswered.
 */
export class StdioTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: Message) => void;
  /** Settles when the input has ended and all is answered, or when nobody reads the answers any more. */
  readonly closed: Promise<void>;
  readonly #input: Readable;
  readonly #held = new PassThrough();
  readonly #wire: StdioServerTransport;
  readonly #due = new Set<string | number>();
  #hasEnded = false;
  #close: () => void = () => undefined;

  constructor(input: Readable, output: Writable) {
    this.#input = input;
    this.#wire = new StdioServerTransport(this.#held, output);
    this.closed = new Promise((resolve) => {
      this.#close = resolve;
    });
  }

  async start(): Promise<void> {
    Object.assign(this.#wire, {
      onmessage: (message: Message) => this.#receive(message),
      onerror: (error: Error) => this.onerror?.(error),
      onclose: () => {
        this.#input.unpipe(this.#held).pause();
        this.onclose?.();
        this.#close();
      },
    });
    await this.#wire.start();
    this.#input.once("end", () => {
      this.#hasEnded = true;
      // The last line may be unfinished; an empty one means nothing.
      this.#held.write("\n");
      this.#endWhenAnswered();
    });
    this.#input.pipe(this.#held, { end: false });
  }

  async send(message: Message): Promise<void> {
    await this.#wire.send(message);
    if (!("method" in message) && message.id !== undefined) this.#settle(message.id);
  }

  async close(): Promise<void> {
    await this.#wire.close();
  }

  #receive(message: Message): void {
    if (isJSONRPCRequest(message)) this.#due.add(message.id);
    this.onmessage?.(message);
    if (isJSONRPCNotification(message) && message.method === "notifications/cancelled") {
      const { requestId } = message.params ?? {};
      // What was cancelled is not answered.
      if (typeof requestId === "string" || typeof requestId === "number") this.#settle(requestId);
    }
  }

  #settle(id: string | number): void {
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
