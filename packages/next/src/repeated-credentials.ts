import { subscribe } from "node:diagnostics_channel";
import type { IncomingMessage } from "node:http";

/** Next.js bundles this module more than once, and a process needs one subscription. */
const subscribed = Symbol.for("@authz/next: repeated credentials");

/**
 * Lets a Fetch `Request` show that a request had several `Authorization` lines.
 *
 * Next.js makes it of Node's `headers`, which keep the first line and leave out the others. The lines are joined there with a
 * comma before Next.js looks, as Fetch itself does it and Node does with the `DPoP` lines; then they are refused.
 */
export function showRepeatedCredentials(): void {
  const process = globalThis as { [subscribed]?: true };
  if (process[subscribed]) return;
  process[subscribed] = true;
  subscribe("http.server.request.start", (message) => {
    const { headers, headersDistinct } = (message as { request: IncomingMessage }).request;
    const lines = headersDistinct["authorization"] ?? [];
    if (lines.length > 1) headers.authorization = lines.join(", ");
  });
}
