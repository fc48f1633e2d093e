import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { generateEs256KeyPair, initAuthz, inMemory, requestFromNode, sendNodeResponse } from "@authz/verify";

const port = Number(process.env["PORT"] ?? 4000);
const publicOrigin = `http://127.0.0.1:${port}`;

const authz = initAuthz(process.env["AUTHZ_ISSUER"] ?? "http://127.0.0.1:3000", {
  publicOrigin,
  clientId: "authz-cli",
  supportedScopes: ["contracts:read"],
  // For development. In production load the key from configuration, the same at every start.
  signingKey: { kid: "dev", ...(await generateEs256KeyPair()) },
  replayStore: inMemory(),
  allowInsecureLoopback: true,
});

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (await authz.handleNode(request, response)) return;
  const decision = await authz.decide(requestFromNode(request), { scopes: ["contracts:read"] });
  if (decision.refusal) {
    sendNodeResponse(response, decision.refusal);
    return;
  }
  const { auth, headers } = decision;
  response.writeHead(200, { "content-type": "application/json", ...headers });
  response.end(JSON.stringify({ requested_by: auth.identity.subject }));
}

export const server = createServer((request, response) => {
  answer(request, response).catch((error: unknown) => {
    console.error(error);
    response.writeHead(500).end();
  });
}).listen(port, "127.0.0.1");
