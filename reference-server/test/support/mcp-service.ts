import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { createMcpHandler, McpServer } from "@modelcontextprotocol/server";
import { createRemoteJWKSet, type JWTPayload, jwtVerify } from "jose";

/** An MCP server made of the unmodified SDK, behind tokens of one authorization server. */
export interface McpService {
  /** Its address, which is its resource identifier. */
  readonly url: URL;
  /** The claims of each token that it took, in order. */
  readonly seen: readonly JWTPayload[];
  close(): Promise<void>;
}

/** @param issuerOf - known when the first request comes */
export async function startMcpService(issuerOf: () => string): Promise<McpService> {
  const seen: JWTPayload[] = [];
  const handler = createMcpHandler(({ authInfo }) => {
    const mcp = new McpServer({ name: "contracts", version: "1.0.0" });
    mcp.registerTool("whoami", { description: "Says who calls." }, () => ({
      content: [
        { type: "text", text: `${String(authInfo?.extra?.["email"])} through ${authInfo?.clientId}` },
      ],
    }));
    return mcp;
  });
  const scope = "contracts:read";
  async function answer(request: IncomingMessage, response: ServerResponse): Promise<ServerResponse> {
    if (request.url?.startsWith("/.well-known/oauth-protected-resource")) {
      const document = { resource: url.href, authorization_servers: [issuerOf()], scopes_supported: [scope] };
      return response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(document));
    }
    const token = /^Bearer (.+)$/.exec(request.headers.authorization ?? "")?.[1];
    if (request.url !== "/mcp" || token === undefined) {
      const metadata = `${url.origin}/.well-known/oauth-protected-resource/mcp`;
      const challenge = `Bearer resource_metadata="${metadata}", scope="${scope}"`;
      return response.writeHead(401, { "www-authenticate": challenge }).end();
    }
    const keys = createRemoteJWKSet(new URL(`${issuerOf()}/api/oauth/jwks`));
    const expected = { issuer: issuerOf(), audience: url.href, typ: "at+jwt", algorithms: ["ES256"] };
    const { payload } = await jwtVerify(token, keys, expected);
    seen.push(payload);
    const { method = "GET", headers } = request;
    const body = method === "POST" ? new Uint8Array(await buffer(request)) : null;
    const reply = await handler.fetch(
      new Request(url, { method, headers: headers as Record<string, string>, body }),
      {
        authInfo: { token, clientId: String(payload["client_id"]), scopes: [scope], extra: payload },
      },
    );
    response.writeHead(reply.status, Object.fromEntries(reply.headers));
    return response.end(Buffer.from(await reply.arrayBuffer()));
  }
  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`);
  return {
    url,
    seen,
    async close() {
      await handler.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
