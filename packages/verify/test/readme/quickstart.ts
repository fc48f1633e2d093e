// server.mjs
import { createServer } from "node:http";
import { generateEs256KeyPair, initAuthz, inMemory, requestFromNode, sendNodeResponse } from "@authz/verify";

const authz = initAuthz("http://127.0.0.1:3000", {
  publicOrigin: "http://127.0.0.1:4000",
  clientId: "authz-cli",
  supportedScopes: ["contracts:read"],
  // For development. In production load the key from configuration, the same at every start.
  signingKey: { kid: crypto.randomUUID(), ...(await generateEs256KeyPair()) },
  replayStore: inMemory(),
  allowInsecureLoopback: true,
});

const server = createServer(async (request, response) => {
  try {
    if (await authz.handleNode(request, response)) return;
    const decision = await authz.decide(requestFromNode(request), { scopes: ["contracts:read"] });
    if (decision.refusal) {
      sendNodeResponse(response, decision.refusal);
      return;
    }
    const { auth, headers } = decision;
    response.writeHead(200, { "content-type": "application/json", ...headers });
    response.end(JSON.stringify({ requested_by: auth.identity.subject, contracts: [] }));
  } catch (error) {
    console.error(error);
    response.writeHead(500).end();
  }
});

server.listen(4000, "127.0.0.1");
authz.ready().catch((error) => console.error(error.message));
