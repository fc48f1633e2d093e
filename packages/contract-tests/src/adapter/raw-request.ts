import { connect } from "node:net";

/** A request as it goes over the wire; header lines may repeat. */
export interface RawRequest {
  readonly method?: string;
  readonly target: string;
  readonly headers?: readonly (readonly [name: string, value: string])[];
  readonly body?: string;
}

/** A response as it came over the wire; header names in lower case. */
export interface RawResponse {
  readonly status: number;
  readonly headers: ReadonlyMap<string, readonly string[]>;
  readonly body: string;
  readonly bytes: Buffer;
}

/** Sends one request through a plain socket, because HTTP clients merge, drop and refuse what servers must survive. */
export async function sendRaw(port: number, request: RawRequest): Promise<RawResponse> {
  const body = Buffer.from(request.body ?? "");
  const lines = [
    `${request.method ?? "GET"} ${request.target} HTTP/1.1`,
    ...(hasHeader(request, "host") ? [] : [`Host: 127.0.0.1:${port}`]),
    "Connection: close",
    ...(body.length === 0 ? [] : [`Content-Length: ${body.length}`]),
    ...(request.headers ?? []).map(([name, value]) => `${name}: ${value}`),
  ];
  const head = Buffer.from(`${lines.join("\r\n")}\r\n\r\n`, "latin1");
  return parseResponse(await exchange(port, Buffer.concat([head, body])));
}

function hasHeader(request: RawRequest, name: string): boolean {
  return request.headers?.some(([header]) => header.toLowerCase() === name) ?? false;
}

function exchange(port: number, bytes: Uint8Array): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const received: Buffer[] = [];
    const socket = connect(port, "127.0.0.1", () => socket.write(bytes));
    socket.on("data", (chunk: Buffer) => received.push(chunk));
    socket.on("end", () => {
      socket.destroy();
      resolve(Buffer.concat(received));
    });
    socket.on("error", (error: NodeJS.ErrnoException) => {
      // A server may reset the connection when it has answered a body it does not want to read.
      if (received.length > 0 && error.code === "ECONNRESET") resolve(Buffer.concat(received));
      else reject(error);
    });
  });
}

function parseResponse(bytes: Buffer): RawResponse {
  const end = bytes.indexOf("\r\n\r\n");
  const [statusLine = "", ...lines] = bytes.subarray(0, end).toString("latin1").split("\r\n");
  const headers = new Map<string, string[]>();
  for (const line of lines) {
    const colon = line.indexOf(":");
    const name = line.slice(0, colon).toLowerCase();
    headers.set(name, [...(headers.get(name) ?? []), line.slice(colon + 1).trim()]);
  }
  const rest = bytes.subarray(end + 4);
  const chunked = headers.get("transfer-encoding")?.[0] === "chunked";
  const body = chunked ? joinChunks(rest) : rest;
  return { status: Number(statusLine.split(" ")[1]), headers, body: body.toString(), bytes: body };
}

function joinChunks(bytes: Buffer): Buffer {
  const chunks: Buffer[] = [];
  let position = 0;
  for (;;) {
    const lineEnd = bytes.indexOf("\r\n", position);
    const size = Number.parseInt(bytes.subarray(position, lineEnd).toString("latin1"), 16);
    if (!(size > 0)) return Buffer.concat(chunks);
    chunks.push(bytes.subarray(lineEnd + 2, lineEnd + 2 + size));
    position = lineEnd + 2 + size + 2;
  }
}
