import type { IncomingMessage } from "node:http";

/** Past this the token route refuses a form as too large, so no more of it is read. */
const formLimitBytes = 64 * 1024;

/** Every line of a header. Unlike `headersDistinct`, `rawHeaders` exists in HTTP/2 and in `app.inject` as well. */
export function headerLines({ rawHeaders }: Pick<IncomingMessage, "rawHeaders">, name: string): string[] {
  const lines: string[] = [];
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const line = rawHeaders[index + 1];
    if (line !== undefined && rawHeaders[index]?.toLowerCase() === name) lines.push(line);
  }
  return lines;
}

/** A form is the only kind of body in which an access token is looked for. */
export function hasForm({ headers }: Pick<IncomingMessage, "headers">): boolean {
  return headers["content-type"]?.toLowerCase().startsWith("application/x-www-form-urlencoded") ?? false;
}

/** Reads a body up to just beyond the limit, and leaves the connection open for the answer. */
export async function readForm(payload: IncomingMessage): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of payload.iterator({ destroyOnReturn: false }) as AsyncIterable<Uint8Array>) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > formLimitBytes) break;
  }
  return Buffer.concat(chunks);
}
