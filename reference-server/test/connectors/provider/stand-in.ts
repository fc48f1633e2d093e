import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, beforeEach, expect } from "vitest";
import { createProvider } from "../../../src/connectors/provider/provider.js";
import { ProviderError } from "../../../src/connectors/provider/provider-error.js";
import { createOutboundClient } from "../../../src/platform/outbound/outbound-fetch.js";
import type { Connector, ConnectorKind } from "../../../src/store/connectors.js";
import { testConnector, testSealed } from "../../support/connectors.js";

interface Seen {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface Answer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

export const callbackUrl = "https://authz.acme.example/connections/callback/notes";
export const attempt = {
  state: "the-state",
  nonce: "the-nonce",
  codeVerifier: "v".repeat(43),
  scopes: ["a", "b"],
};
export const secretText = "the client's secret";
export const tokens = {
  access_token: "access",
  token_type: "bearer",
  refresh_token: "refresh",
  expires_in: 60,
};

/** What stands in for a third party in the tests of a file: it answers what a test says, and shows what it was asked. */
export function createStandIn() {
  const seen: Seen[] = [];
  /** By path; a path that is not here answers 404. */
  const answers: Record<string, Answer> = {};
  const server = createServer((request, response) => void reply(request, response));
  const origin = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const outbound = createOutboundClient({ allowInsecureLoopback: true });
  /** The clock of this machine against the database's. */
  const machine = { aheadSeconds: 0 };
  const provider = createProvider({
    issuer: "https://authz.acme.example",
    vault: { open: () => Promise.resolve(secretText) },
    outboundFetch: outbound.fetch,
    allowInsecureLoopback: true,
    timeoutSeconds: 5,
    clockDifferenceSeconds: () => machine.aheadSeconds,
  });

  async function reply(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = request.url ?? "";
    seen.push({ method: request.method ?? "", path, headers: request.headers, body: await text(request) });
    const { status = 200, headers = {}, body = "" } = answers[path] ?? { status: 404 };
    response.writeHead(status, { "content-type": "application/json", ...headers });
    response.end(typeof body === "string" ? body : JSON.stringify(body));
  }

  beforeAll(async () => {
    await new Promise<void>((resolve) => {
      server.listen(0, "127.0.0.1", resolve);
    });
  });
  afterAll(async () => {
    await outbound.close();
    server.closeAllConnections();
    server.close();
  });
  beforeEach(() => {
    seen.length = 0;
    machine.aheadSeconds = 0;
    for (const path of Object.keys(answers)) delete answers[path];
    answers["/token"] = { body: tokens };
  });

  function connectorOf(kind: ConnectorKind, changes: Partial<Connector> = {}): Connector {
    const at = new Date();
    return {
      ...testConnector({ kind, key: "notes" }),
      authorizationEndpoint: `${origin()}/authorize?tenant=1`,
      tokenEndpoint: `${origin()}/token`,
      revocationEndpoint: `${origin()}/revoke`,
      accountEndpoint: `${origin()}/account`,
      tokenEndpointAuthMethod: "client_secret_post",
      clientId: "the-client",
      clientSecret: testSealed(),
      authorizationParameters: { prompt: "consent" },
      createdAt: at,
      updatedAt: at,
      version: 1,
      ...changes,
    };
  }

  const redeem = (connector: Connector, query = "code=the-code&state=the-state") =>
    provider.redeem(connector, attempt, query);

  return { seen, answers, origin, provider, machine, connectorOf, redeem };
}

/** Why something was refused. The error must show nothing of what was sent or came back. */
export async function failure(work: Promise<unknown>): Promise<string> {
  const error: unknown = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof ProviderError)) throw new Error("not refused", { cause: error });
  const { reason, detail, message, cause } = error;
  expect(JSON.stringify({ detail, message, cause })).not.toMatch(/access-|refresh-|secret/);
  return reason;
}
