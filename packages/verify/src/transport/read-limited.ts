import { formMaximumBytes } from "../forms.js";

/** Reads a body up to just beyond the limit, so that an endless one ends here. */
export async function readLimited(body: AsyncIterable<unknown> | null): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body ?? []) {
    const bytes = typeof chunk === "string" ? Buffer.from(chunk) : (chunk as Uint8Array);
    chunks.push(bytes);
    size += bytes.length;
    if (size > formMaximumBytes) break;
  }
  return Buffer.concat(chunks);
}
