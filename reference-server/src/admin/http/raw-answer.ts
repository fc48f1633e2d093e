import type { Readable } from "node:stream";

/** An answer that is not JSON, such as an export. */
export class RawAnswer {
  readonly contentType: string;
  readonly body: string | Buffer | Readable;
  readonly headers: Readonly<Record<string, string>>;

  constructor(answer: {
    readonly contentType: string;
    readonly body: string | Buffer | Readable;
    readonly headers?: Readonly<Record<string, string>>;
  }) {
    this.contentType = answer.contentType;
    this.body = answer.body;
    this.headers = answer.headers ?? {};
  }
}
