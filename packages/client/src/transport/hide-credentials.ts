import { coverText, createCoverer } from "@authz/dpop/cover";
import type { TransportAnswer } from "./transport.js";

/** The same answer with every credential in it masked, in headers and body, which streams as before. */
export function hideCredentials(answer: TransportAnswer, credentials: readonly string[]): TransportAnswer {
  return {
    status: answer.status,
    headers: Object.fromEntries(
      Object.entries(answer.headers).map(([name, value]) => [name, coverText(value, credentials)]),
    ),
    body: coverBody(answer.body, credentials),
    discard: () => answer.discard(),
  };
}

async function* coverBody(
  body: AsyncIterable<Uint8Array>,
  credentials: readonly string[],
): AsyncIterable<Uint8Array> {
  const coverer = createCoverer(credentials);
  for await (const chunk of body) {
    // A copy, because it is written to.
    const sure = coverer.next(Buffer.from(chunk));
    if (sure.length > 0) yield sure;
  }
  const rest = coverer.end();
  if (rest.length > 0) yield rest;
}
