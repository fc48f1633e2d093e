import { connect, type Socket } from "node:net";

export interface HttpAnswer {
  readonly status: number;
  readonly body: string;
}

/**
 * A kept-alive HTTP/1.1 connection for one request at a time. It knows only answers with a `Content-Length`, so that the load generator
 * leaves the cores to the server.
 */
export class KeptConnection {
  readonly #socket: Socket;
  #received = "";
  #settle: { resolve: (answer: HttpAnswer) => void; reject: (error: Error) => void } | undefined;

  private constructor(socket: Socket) {
    this.#socket = socket.setEncoding("latin1").setNoDelay(true);
    socket.on("data", (text: string) => this.#receive(text));
    socket.on("error", (error) => this.#settle?.reject(error));
    socket.on("close", () => this.#settle?.reject(new Error("The server closed the connection.")));
  }

  static open(port: number): Promise<KeptConnection> {
    return new Promise((resolve, reject) => {
      const socket = connect({ host: "127.0.0.1", port }, () => resolve(new KeptConnection(socket)));
      socket.once("error", reject);
    });
  }

  /** Sends a whole request, in ASCII. */
  send(request: string | Buffer): Promise<HttpAnswer> {
    return new Promise((resolve, reject) => {
      this.#settle = { resolve, reject };
      this.#socket.write(request);
    });
  }

  close(): void {
    this.#settle = undefined;
    this.#socket.destroy();
  }

  #receive(text: string): void {
    this.#received += text;
    const end = this.#received.indexOf("\r\n\r\n");
    if (end < 0) return;
    const head = this.#received.slice(0, end);
    const length = Number(/\r\ncontent-length: *(\d+)/i.exec(head)?.[1]);
    if (Number.isNaN(length)) {
      this.#settle?.reject(new Error(`An answer without a Content-Length:\n${head}`));
      return;
    }
    if (this.#received.length < end + 4 + length) return;
    const body = Buffer.from(this.#received.slice(end + 4, end + 4 + length), "latin1").toString();
    this.#received = this.#received.slice(end + 4 + length);
    const settle = this.#settle;
    this.#settle = undefined;
    settle?.resolve({ status: Number(head.slice(9, 12)), body });
  }
}
