import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { Agent, request } from "node:https";
import { UpstreamError } from "./upstream-error.js";

export interface UpstreamOptions {
  /** `https` origin. */
  readonly origin: string;
  /** PEM certificates that replace the public CA bundle. */
  readonly ca?: string | undefined;
  /** From the first byte sent to the last byte received, both attempts together. */
  readonly timeoutMilliseconds: number;
  readonly maxBodyBytes: number;
}

/** Asks the authorization server, over connections that are kept. */
export interface Upstream {
  /**
   * One GET request that carries nothing but the path.
   *
   * @param onHead Called when status and headers are there and acceptable, before the body.
   * @throws {UpstreamError} There is no complete answer that may be passed on.
   */
  get(path: string, onHead: (headers: IncomingHttpHeaders) => void): Promise<UpstreamAnswer>;
  /** Closes every connection. */
  close(): void;
}

export interface UpstreamAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** The same for every request. `Via` is what RFC 9110 §7.6.3 asks of a gateway. */
const requestHeaders = {
  accept: "application/json",
  "accept-encoding": "identity",
  "user-agent": "authz-discovery-proxy",
  via: "1.1 authz-discovery-proxy",
};

export function createUpstream(options: UpstreamOptions): Upstream {
  const { origin, ca, timeoutMilliseconds, maxBodyBytes } = options;
  // Said out loud, because NODE_TLS_REJECT_UNAUTHORIZED would change the default.
  const tls = { rejectUnauthorized: true, ALPNProtocols: ["http/1.1"], ...(ca === undefined ? {} : { ca }) };
  const agent = new Agent({ keepAlive: true, maxFreeSockets: 4, scheduling: "lifo", ...tls });

  function attempt(path: string, { signal, reuse }: { signal: AbortSignal; reuse: boolean }): Attempt {
    const sent = request(`${origin}${path}`, {
      ...tls,
      agent: reuse ? agent : false,
      method: "GET",
      headers: requestHeaders,
      signal,
    });
    const response = new Promise<IncomingMessage>((resolve, reject) => {
      sent.once("response", resolve);
      sent.on("error", reject);
    });
    sent.end();
    return { response, reusedConnection: () => sent.reusedSocket };
  }

  /** A kept connection may have been closed by the other side just now: then once more, on a new one. */
  async function send(path: string, signal: AbortSignal): Promise<IncomingMessage> {
    const first = attempt(path, { signal, reuse: true });
    try {
      return await first.response;
    } catch (error) {
      if (!first.reusedConnection() || !isClosedConnection(error)) throw error;
      return await attempt(path, { signal, reuse: false }).response;
    }
  }

  async function exchange(path: string, asked: Asked): Promise<UpstreamAnswer> {
    const response = await send(path, asked.signal);
    try {
      const { statusCode: status = 0, headers } = response;
      refuseUnacceptable(status, headers);
      asked.onHead(headers);
      return { status, headers, body: await readBody(response, maxBodyBytes) };
    } catch (error) {
      response.destroy();
      throw error;
    }
  }

  return {
    async get(path, onHead) {
      const timeout = new AbortController();
      const timer = setTimeout(() => timeout.abort(), timeoutMilliseconds);
      try {
        return await exchange(path, { signal: timeout.signal, onHead });
      } catch (error) {
        if (error instanceof UpstreamError) throw error;
        if (timeout.signal.aborted) throw timedOut(timeoutMilliseconds);
        throw fromConnectionError(error);
      } finally {
        clearTimeout(timer);
      }
    },
    close: () => agent.destroy(),
  };
}

interface Attempt {
  readonly response: Promise<IncomingMessage>;
  readonly reusedConnection: () => boolean;
}

interface Asked {
  readonly signal: AbortSignal;
  readonly onHead: (headers: IncomingHttpHeaders) => void;
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

async function readBody(response: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const tooLarge = () =>
    new UpstreamError("too_large", `Its answer is larger than ${maxBytes} bytes. Metadata and keys are not.`);
  if (Number(response.headers["content-length"]) > maxBytes) throw tooLarge();
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxBytes) throw tooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, size);
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
  const detail = code === "" ? String(cause) : code;
  return new UpstreamError(
    "unreachable",
    `It cannot be reached (${detail}). Check AUTHZ_UPSTREAM and the network.`,
    { cause },
  );
}

function codeOf(error: unknown): string {
  const code = error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined;
  return typeof code === "string" ? code : "";
}
