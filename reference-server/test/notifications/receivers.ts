import { createHmac } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { SMTPServer, type SMTPServerOptions, type SMTPServerSession } from "smtp-server";

/** One delivery as it came. */
export interface Delivery {
  readonly id: string;
  readonly timestamp: string;
  readonly signature: string;
  readonly body: string;
}

/** A receiver of webhooks over HTTP. */
export interface WebhookReceiver {
  readonly url: string;
  readonly secret: string;
  readonly seen: Delivery[];
  /** What it answers with. */
  answer: (request: IncomingMessage, response: ServerResponse) => void;
  close(): Promise<void>;
}

const key = Buffer.alloc(32, 7);

export async function startWebhookReceiver(): Promise<WebhookReceiver> {
  const take = async (request: IncomingMessage, response: ServerResponse) => {
    const body = await text(request);
    const header = (name: string) => String(request.headers[name] ?? "");
    receiver.seen.push({
      id: header("webhook-id"),
      timestamp: header("webhook-timestamp"),
      signature: header("webhook-signature"),
      body,
    });
    receiver.answer(request, response);
  };
  const server = createServer((request, response) => void take(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const receiver: WebhookReceiver = {
    url: `http://127.0.0.1:${port}/hooks/secret-path`,
    secret: `whsec_${key.toString("base64")}`,
    seen: [],
    answer: (_request, response) => void response.writeHead(204).end(),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return receiver;
}

/** Whether a delivery carries the signature that Standard Webhooks asks for. */
export function isSigned({ id, timestamp, signature, body }: Delivery): boolean {
  const expected = createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest("base64");
  return signature === `v1,${expected}`;
}

/** One mail as a server takes it. */
interface Mail {
  readonly from: string;
  readonly to: readonly string[];
  /** Decoded, with lines that were folded put together. */
  readonly headers: ReadonlyMap<string, string>;
  readonly raw: string;
  readonly body: string;
}

/** A mail server. */
export interface MailReceiver {
  readonly url: string;
  readonly mails: Mail[];
  /** Refuses an address with this code. */
  refuse: (address: string) => number | undefined;
  close(): Promise<void>;
}

export async function startMailReceiver(options: SMTPServerOptions = {}): Promise<MailReceiver> {
  const take = async (stream: Readable, { envelope }: SMTPServerSession, done: () => void) => {
    const raw = await text(stream);
    const { mailFrom, rcptTo } = envelope;
    const from = mailFrom === false ? "" : mailFrom.address;
    receiver.mails.push({ from, to: rcptTo.map(({ address }) => address), ...parseMail(raw) });
    done();
  };
  const server = new SMTPServer({
    disabledCommands: ["STARTTLS", "AUTH"],
    ...options,
    onRcptTo({ address }, _session, callback) {
      const code = receiver.refuse(address);
      if (code === undefined) return callback();
      return callback(Object.assign(new Error("No such user"), { responseCode: code }));
    },
    onData(stream, session, callback) {
      void take(stream, session, callback);
    },
  });
  // A client that does not trust it hangs up.
  server.on("error", () => undefined);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", () => resolve()));
  const { port } = server.server.address() as AddressInfo;
  const receiver: MailReceiver = {
    url: `smtp://127.0.0.1:${port}`,
    mails: [],
    refuse: () => undefined,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
  return receiver;
}

function parseMail(raw: string): Pick<Mail, "headers" | "raw" | "body"> {
  const end = raw.indexOf("\r\n\r\n");
  const lines = raw
    .slice(0, end)
    .replaceAll(/\r\n[ \t]+/g, " ")
    .split("\r\n");
  const headers = new Map(
    lines.map((line) => {
      const colon = line.indexOf(":");
      return [line.slice(0, colon).toLowerCase(), decodeWords(line.slice(colon + 1).trim())] as const;
    }),
  );
  const encoded = raw.slice(end + 4);
  const encoding = headers.get("content-transfer-encoding");
  return { headers, raw, body: decodeBody(encoded, encoding).replaceAll("\r\n", "\n") };
}

function decodeBody(body: string, encoding: string | undefined): string {
  if (encoding === "base64") return Buffer.from(body, "base64").toString();
  if (encoding !== "quoted-printable") return body;
  return decodeQuoted(body.replaceAll(/=\r\n/g, ""));
}

function decodeQuoted(encoded: string): string {
  const bytes = encoded.replaceAll(/=([0-9A-F]{2})/g, (_all, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
  return Buffer.from(bytes, "latin1").toString();
}

/** RFC 2047 */
function decodeWords(encoded: string): string {
  return encoded
    .replaceAll(/\?=\s+=\?/g, "?==?")
    .replaceAll(/=\?utf-8\?([bq])\?([^?]*)\?=/gi, (_all, encoding: string, word: string) =>
      encoding.toLowerCase() === "b"
        ? Buffer.from(word, "base64").toString()
        : decodeQuoted(word.replaceAll("_", " ")),
    );
}
