import type { ClientRequest, IncomingHttpHeaders, IncomingMessage } from "node:http";
import { Agent, request } from "./builtins.js";

/** The reason why a response of the upstream is not forwarded. */
export type UpstreamErrorReason =
  | "unreachable"
  | "certificate"
  | "broken_off"
  | "malformed"
  | "timeout"
  | "redirect"
  | "set_cookie"
  | "too_large";

/** No response to forward. The message with the remedy is for the log; callers see less. */
export class UpstreamError extends Error {
  override readonly name = "UpstreamError";
  readonly reason: UpstreamErrorReason;
  constructor(reason: UpstreamErrorReason, message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}

export interface UpstreamOptions {
  /** `https` origin. */
  readonly origin: string;
  /** PEM certificates that replace the public CA bundle. */
  readonly ca?: string | undefined;
  /** From the first byte sent to the last byte received, including the retry. */
  readonly timeoutMilliseconds: number;
}

/** A document that is forwarded. */
export interface UpstreamDocument {
  readonly path: string;
  /** Its media type. */
  readonly accept: string;
  readonly maxBodyBytes: number;
}

/** Requests documents of the authorization server over keep-alive connections. */
export interface Upstream {
  /**
   * Sends a GET request with only the path and the media type of the document.
   *
   * @param onHead Called after acceptable status and headers, before the body.
   * @throws {UpstreamError} There is no complete response to forward.
   */
  get(document: UpstreamDocument, onHead: (headers: IncomingHttpHeaders) => void): Promise<UpstreamAnswer>;
  /** Closes every connection. */
  close(): void;
}

export interface UpstreamAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** The same for every document. RFC 9110 §7.6.3 requires `Via` of a gateway. */
const requestHeaders = {
  "accept-encoding": "identity",
  "user-agent": "authz-discovery-proxy",
  via: "1.1 authz-discovery-proxy",
};

export function createUpstream(options: UpstreamOptions): Upstream {
  const { origin, ca, timeoutMilliseconds } = options;
  // Explicit, because NODE_TLS_REJECT_UNAUTHORIZED changes the default.
  const tls = { rejectUnauthorized: true, ALPNProtocols: ["http/1.1"], ...(ca !== undefined && { ca }) };
  // Callers beyond this share a waiting request, so more connections would only take memory.
  const agent = new Agent({ keepAlive: true, maxSockets: 4, maxFreeSockets: 4, scheduling: "lifo", ...tls });

  function open({ path, accept }: UpstreamDocument, { reuse }: { reuse: boolean }): ClientRequest {
    const connection = reuse ? agent : false;
    const headers = { accept, ...requestHeaders };
    const sent = request(`${origin}${path}`, { ...tls, agent: connection, headers });
    sent.end();
    return sent;
  }

  /** Retries once on a new connection, because the upstream may have closed a kept one. */
  async function send(exchange: Exchange): Promise<UpstreamAnswer> {
    const { document } = exchange;
    const first = open(document, { reuse: true });
    try {
      return await receive(first, exchange);
    } catch (error) {
      const again = first.reusedSocket && !exchange.answered && !exchange.late && isClosedConnection(error);
      if (!again) throw error;
      return await receive(open(document, { reuse: false }), exchange);
    }
  }

  async function receive(sent: ClientRequest, exchange: Exchange): Promise<UpstreamAnswer> {
    exchange.sent = sent;
    try {
      const response = await responseOf(sent);
      exchange.answered = true;
      const { statusCode: status = 0, headers } = response;
      refuseUnacceptable(status, headers);
      exchange.onHead(headers);
      return { status, headers, body: await readBody(response, exchange.document.maxBodyBytes) };
    } catch (error) {
      sent.destroy();
      throw error;
    }
  }

  return {
    async get(document, onHead) {
      const exchange: Exchange = { document, sent: undefined, answered: false, late: false, onHead };
      const timer = setTimeout(() => {
        exchange.late = true;
        exchange.sent?.destroy();
      }, timeoutMilliseconds);
      try {
        return await send(exchange);
      } catch (error) {
        if (error instanceof UpstreamError) throw error;
        throw exchange.late ? timedOut(timeoutMilliseconds) : fromConnectionError(error);
      } finally {
        clearTimeout(timer);
      }
    },
    close: () => agent.destroy(),
  };
}

/** An exchange with the upstream, of up to two requests. */
interface Exchange {
  readonly document: UpstreamDocument;
  sent: ClientRequest | undefined;
  answered: boolean;
  late: boolean;
  readonly onHead: (headers: IncomingHttpHeaders) => void;
}

function responseOf(sent: ClientRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    sent.once("response", resolve);
    // Not removed, because an error after the response must not end the process.
    sent.on("error", reject);
    // An upgrade closes the connection without an error.
    sent.once("close", () => reject(new Error("closed without an answer")));
  });
}

function refuseUnacceptable(status: number, headers: IncomingHttpHeaders): void {
  if (status >= 300 && status <= 399) {
    throw new UpstreamError(
      "redirect",
      `It answered ${status}, a redirect, which is never followed. AUTHZ_UPSTREAM must be the server's own public URL.`,
    );
  }
  if (headers["set-cookie"] !== undefined) {
    throw new UpstreamError(
      "set_cookie",
      "It set a cookie, which public metadata never does. Is something other than the server behind AUTHZ_UPSTREAM?",
    );
  }
}

/** Uses events, because an async iterator costs as much as the rest of the exchange. */
function readBody(response: IncomingMessage, maxBytes: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const refuse = () =>
      reject(
        new UpstreamError(
          "too_large",
          `Its answer is larger than ${maxBytes} bytes. Metadata and keys are not.`,
        ),
      );
    if (Number(response.headers["content-length"]) > maxBytes) return refuse();
    const chunks: Buffer[] = [];
    let size = 0;
    response.on("data", (chunk: Buffer) => {
      size += chunk.length;
      if (size > maxBytes) refuse();
      else chunks.push(chunk);
    });
    response.once("end", () =>
      resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks, size)),
    );
    response.once("error", reject);
  });
}

function isClosedConnection(error: unknown): boolean {
  return ["ECONNRESET", "EPIPE"].includes(codeOf(error));
}

function timedOut(milliseconds: number): UpstreamError {
  return new UpstreamError("timeout", `It did not answer completely within ${milliseconds / 1000} s.`);
}

function fromConnectionError(cause: unknown): UpstreamError {
  const code = codeOf(cause);
  if (/CERT|SIGNATURE|ISSUER|ALTNAME|CRL/.test(code)) {
    return new UpstreamError(
      "certificate",
      `Its certificate is not trusted (${code}). For a private CA set AUTHZ_UPSTREAM_CA_FILE.`,
      { cause },
    );
  }
  if (isClosedConnection(cause)) {
    return new UpstreamError("broken_off", "It closed the connection before the answer was complete.", {
      cause,
    });
  }
  if (code === "" || code.startsWith("HPE_")) {
    const message = `Its answer is not proper HTTP (${code === "" ? String(cause) : code}).`;
    return new UpstreamError("malformed", message, { cause });
  }
  return new UpstreamError(
    "unreachable",
    `It cannot be reached (${code}). Check AUTHZ_UPSTREAM and the network.`,
    { cause },
  );
}

function codeOf(error: unknown): string {
  const code = error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined;
  return typeof code === "string" ? code : "";
}
