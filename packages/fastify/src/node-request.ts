import type { IncomingMessage } from "node:http";

/** Past this the token route refuses a body as too large, so no more of it is read. */
const bodyLimitBytes = 64 * 1024;

/** Every line of a header, in order. `headers` keeps only the first Authorization line and joins the others. */
export function headerLines(request: Pick<IncomingMessage, "rawHeaders">, name: string): string[] {
  const { rawHeaders } = request;
  const lines: string[] = [];
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const line = rawHeaders[index + 1];
    if (line !== undefined && rawHeaders[index]?.toLowerCase() === name) lines.push(line);
  }
  return lines;
}

/** Whether the request carries a form, the only kind of body in which an access token is looked for. */
export function hasForm(request: Pick<IncomingMessage, "headers">): boolean {
  return (
    request.headers["content-type"]?.toLowerCase().startsWith("application/x-www-form-urlencoded") ?? false
  );
}

/** What a body parser left, or the raw body when none has read it. */
export async function parsedOrRawBody(request: IncomingMessage, parsed: unknown): Promise<unknown> {
  if (request.readableDidRead || request.readableEnded) return parsed;
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    const bytes = Buffer.from(chunk as Uint8Array);
    chunks.push(bytes);
    size += bytes.length;
    if (size > bodyLimitBytes) break;
  }
  return Buffer.concat(chunks);
}
