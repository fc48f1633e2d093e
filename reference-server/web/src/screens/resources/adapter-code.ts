import type { Resource } from "@admin/resources";

/** Frameworks whose first steps are shown here; every adapter has its own in its README. */
export const frameworks = ["express", "fastify"] as const;
export type Framework = (typeof frameworks)[number];

interface Question {
  readonly framework: Framework;
  readonly issuer: string;
  readonly service: Pick<Resource, "name" | "resource" | "clientId" | "requestPrefixes" | "supportedScopes">;
}

/** A program that is the service, with one protected route; saved as `server.mjs`, it runs as it is. */
export function adapterCode({ framework, issuer, service }: Question): string {
  const { name, resource, clientId, requestPrefixes, supportedScopes } = service;
  const { origin, pathname, port, hostname, protocol } = new URL(requestPrefixes[0] ?? resource);
  const text = (value: unknown) => JSON.stringify(value);
  const onThisComputer = protocol === "http:";
  // Elsewhere a proxy with TLS is in front of it.
  const listen = onThisComputer
    ? { port: Number(port || "80"), host: hostname }
    : { port: 8080, host: "0.0.0.0" };
  const scopes = supportedScopes.slice(0, 1);
  const authz = `const authz = initAuthz(${text(issuer)}, {
  resource: ${text(resource)},
  resourceName: ${text(name)},
  publicOrigin: ${text(origin)},
  clientId: ${text(clientId)},
  supportedScopes: ${text(supportedScopes)},
  signingKey: { kid: "one", ...(await generateEs256KeyPair()) },
  replayStore: inMemory(),${onThisComputer ? "\n  allowInsecureLoopback: true," : ""}
});`;
  if (framework === "express") {
    return `import { generateEs256KeyPair, inMemory, initAuthz } from "@authz/express";
import express from "express";

${authz}

const app = express();
authz.registerRoutes(app);

app.get(${text(pathname)}, authz.requireAuth({ scopes: ${text(scopes)} }), (req, res) => {
  res.json({ caller: req.auth.identity });
});

await authz.ready();
app.listen(${listen.port}, ${text(listen.host)});
`;
  }
  return `import { generateEs256KeyPair, inMemory, initAuthz } from "@authz/fastify";
import Fastify from "fastify";

${authz}

const app = Fastify();
authz.registerRoutes(app);

app.get(${text(pathname)}, { onRequest: authz.requireAuth({ scopes: ${text(scopes)} }) }, async (request) => {
  return { caller: request.auth.identity };
});

await authz.ready();
await app.listen({ port: ${listen.port}, host: ${text(listen.host)} });
`;
}
