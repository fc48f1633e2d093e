import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { DpopSession } from "@modelcontextprotocol/client";
import { HostProvider } from "./provider.js";

/** An agent host on this computer. */
export interface AgentHost {
  readonly clientId: string;
  readonly provider: HostProvider;
  /** How often its client ID metadata document was fetched. */
  readonly documentReads: number;
  /**
   * The parameters that the browser brought to the callback last. Each can be taken once.
   *
   * @throws {Error} The browser did not come back, or with another `state`.
   */
  takeAnswer(): URLSearchParams;
  close(): Promise<void>;
}

export interface AgentHostOptions {
  /** What people call it. */
  readonly name: string;
  /** Leads its person through the pages at an address, until the browser is back at the callback. */
  readonly open: (address: URL) => Promise<unknown>;
  /** Default: none. */
  readonly dpop?: DpopSession | undefined;
}

/**
 * Starts a host: its document at `/client.json` and its callback at `/callback`, on a free port of 127.0.0.1. Like those of real
 * hosts, the document names loopback addresses without a port.
 */
export async function startAgentHost({ name, open, dpop }: AgentHostOptions): Promise<AgentHost> {
  let documentReads = 0;
  let answer: URLSearchParams | undefined;
  const server = createServer(({ url = "/" }, response) => {
    const { pathname, searchParams } = new URL(url, "http://127.0.0.1");
    if (pathname === "/client.json") {
      documentReads += 1;
      send(response, 200, "application/json", JSON.stringify(document));
    } else if (pathname === "/callback") {
      answer = searchParams;
      send(response, 200, "text/html", "<!doctype html><title>Signed in</title><p>Close this page.</p>");
    } else send(response, 404, "text/plain", "Not found");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const clientId = `${origin}/client.json`;
  const metadata = {
    client_name: name,
    redirect_uris: ["http://127.0.0.1/callback", "http://localhost/callback"],
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
    token_endpoint_auth_method: "none",
  };
  const document = { client_id: clientId, ...metadata };
  const provider = new HostProvider({ clientId, redirectUrl: `${origin}/callback`, metadata, open, dpop });
  return {
    clientId,
    provider,
    get documentReads() {
      return documentReads;
    },
    takeAnswer() {
      const taken = answer;
      answer = undefined;
      if (taken === undefined) throw new Error("The browser did not come back to the host.");
      if (taken.get("state") !== provider.expectedState) throw new Error("The answer has another state.");
      return taken;
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

function send(response: ServerResponse, status: number, type: string, text: string): void {
  response.writeHead(status, { "content-type": type }).end(text);
}
