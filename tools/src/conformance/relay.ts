import { once } from "node:events";
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request as send,
  type ServerResponse,
} from "node:http";
import type { AddressInfo } from "node:net";

/** An address on this computer at which the suite finds a server that it could not get into by itself. */
export interface Relay {
  readonly url: string;
  close(): Promise<void>;
}

/**
 * The suite sends no token and has no way to be given one. The relay hands every request on as it came, with the access token of
 * a person who has signed in, and every answer back as it comes. Where a request names the address of the relay, it names that of
 * the server then; nothing else is changed.
 */
export async function startRelay(target: URL, accessToken: () => string): Promise<Relay> {
  const relay = (incoming: IncomingMessage, outgoing: ServerResponse) => {
    const onward = send(target, {
      method: incoming.method ?? "GET",
      headers: { ...headersFor(incoming, target), authorization: `Bearer ${accessToken()}` },
    });
    onward.once("response", (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    onward.once("error", () => outgoing.destroy());
    // A client that disconnects here disconnects there.
    outgoing.once("close", () => onward.destroy());
    incoming.pipe(onward);
  };
  const server = createServer(relay);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${target.pathname}`,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

function headersFor({ headers, socket }: IncomingMessage, { host, origin }: URL): IncomingHttpHeaders {
  const own = `127.0.0.1:${socket.localPort ?? 0}`;
  return {
    ...headers,
    ...(headers.host === own && { host }),
    ...(headers.origin === `http://${own}` && { origin }),
  };
}
