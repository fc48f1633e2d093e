import type { Resource } from "@admin/resources";

/** Frameworks whose first steps are shown here; every adapter has its own in its README. */
export const frameworks = ["express", "fastify", "hono", "koa", "next"] as const;
export type Framework = (typeof frameworks)[number];

interface Question {
  readonly framework: Framework;
  readonly issuer: string;
  readonly service: Pick<Resource, "name" | "resource" | "clientId" | "requestPrefixes" | "supportedScopes">;
}

/** What is pasted, one after the other: what to install, the files that are the service, and what starts it. */
export interface AdapterCode {
  readonly install: string;
  readonly files: readonly { readonly name: string; readonly code: string }[];
  readonly run: string;
}

interface Values {
  readonly framework: Framework;
  /** The options of `initAuthz` behind the issuer. */
  readonly options: string;
  readonly issuer: string;
  readonly path: string;
  readonly scopes: string;
  readonly host: string;
  readonly port: number;
}

const text = (value: unknown) => JSON.stringify(value);

/** A service with one protected route, with the values of one that is registered; saved as its files say, it runs as it is. */
export function adapterCode({ framework, issuer, service }: Question): AdapterCode {
  const { name, resource, clientId, requestPrefixes, supportedScopes } = service;
  const { origin, pathname, port, hostname, protocol } = new URL(requestPrefixes[0] ?? resource);
  const onThisComputer = protocol === "http:";
  const options = `{
  resource: ${text(resource)},
  resourceName: ${text(name)},
  publicOrigin: ${text(origin)},
  clientId: ${text(clientId)},
  supportedScopes: ${text(supportedScopes)},
  signingKey: { kid: crypto.randomUUID(), ...(await generateEs256KeyPair()) },
  replayStore: inMemory(),${onThisComputer ? "\n  allowInsecureLoopback: true," : ""}
}`;
  const values = {
    framework,
    options,
    issuer: text(issuer),
    path: pathname,
    scopes: text(supportedScopes.slice(0, 1)),
    // Elsewhere a proxy with TLS is in front of it.
    host: onThisComputer ? hostname : "0.0.0.0",
    port: onThisComputer ? Number(port || "80") : 8080,
  };
  return framework === "next" ? nextCode(values) : programOf(framework)(values);
}

function programOf(framework: Exclude<Framework, "next">): (values: Values) => AdapterCode {
  switch (framework) {
    case "hono":
      return honoCode;
    case "koa":
      return koaCode;
    case "fastify":
      return fastifyCode;
    case "express":
    default:
      return expressCode;
  }
}

/** One file, which Node.js runs. */
function program({ framework }: Values, packages: string, code: string): AdapterCode {
  return {
    install: `npm install @authz/${framework} ${packages}`,
    files: [{ name: "server.mjs", code }],
    run: "node server.mjs",
  };
}

function begin({ framework, issuer, options }: Values, imports: string): string {
  return `import { generateEs256KeyPair, inMemory, initAuthz } from "@authz/${framework}";
${imports}

const authz = initAuthz(${issuer}, ${options});
`;
}

function expressCode(values: Values): AdapterCode {
  const { path, scopes, host, port } = values;
  return program(
    values,
    "express",
    `${begin(values, 'import express from "express";')}
const app = express();
authz.registerRoutes(app);

app.get(${text(path)}, authz.requireAuth({ scopes: ${scopes} }), (req, res) => {
  res.json({ caller: req.auth.identity });
});

app.listen(${port}, ${text(host)});
authz.ready().catch((error) => console.error(error.message));
`,
  );
}

function fastifyCode(values: Values): AdapterCode {
  const { path, scopes, host, port } = values;
  return program(
    values,
    "fastify",
    `${begin(values, 'import Fastify from "fastify";')}
const app = Fastify();
authz.registerRoutes(app);

app.get(${text(path)}, { onRequest: authz.requireAuth({ scopes: ${scopes} }) }, async (request) => {
  return { caller: request.auth.identity };
});

await app.listen({ port: ${port}, host: ${text(host)} });
authz.ready().catch((error) => console.error(error.message));
`,
  );
}

function honoCode(values: Values): AdapterCode {
  const { path, scopes, host, port } = values;
  return program(
    values,
    "hono @hono/node-server",
    `${begin(values, 'import { serve } from "@hono/node-server";\nimport { Hono } from "hono";')}
const app = new Hono();
authz.registerRoutes(app);

app.get(${text(path)}, authz.requireAuth({ scopes: ${scopes} }), (c) => {
  return c.json({ caller: c.get("auth").identity });
});

serve({ fetch: app.fetch, port: ${port}, hostname: ${text(host)} });
authz.ready().catch((error) => console.error(error.message));
`,
  );
}

function koaCode(values: Values): AdapterCode {
  const { path, scopes, host, port } = values;
  return program(
    values,
    "koa @koa/router",
    `${begin(values, 'import { Router } from "@koa/router";\nimport Koa from "koa";')}
const app = new Koa();
authz.registerRoutes(app);

const router = new Router();
router.get(${text(path)}, authz.requireAuth({ scopes: ${scopes} }), (ctx) => {
  ctx.body = { caller: ctx.state.auth.identity };
});
app.use(router.routes());

app.listen(${port}, ${text(host)});
authz.ready().catch((error) => console.error(error.message));
`,
  );
}

/** The files of an application that `create-next-app` has made. Where each one is says at which address it answers. */
function nextCode(values: Values): AdapterCode {
  const { path, scopes, host, port, issuer, options } = values;
  const folders = path.split("/").filter((part) => part !== "");
  const up = (depth: number) => "../".repeat(depth);
  const handlers = `import { authz } from "${up(3)}lib/authz.js";

export const { GET, POST } = authz.handlers;
`;
  const indented = options.replaceAll("\n", "\n  ");
  return {
    install: "npm install @authz/next",
    files: [
      {
        name: "lib/authz.js",
        code: `import { generateEs256KeyPair, inMemory, initAuthz } from "@authz/next";

async function createAuthz() {
  return initAuthz(${issuer}, ${indented});
}

// Next.js loads this file more than once in a process, which has one key and one replay store all the same.
export const authz = await (globalThis.authz ??= createAuthz());
`,
      },
      {
        name: ["app", ...folders, "route.js"].join("/"),
        code: `import { authz } from "${up(folders.length + 1)}lib/authz.js";

const guard = authz.requireAuth({ scopes: ${scopes} });

export const GET = guard((_request, { auth }) => Response.json({ caller: auth.identity }));
`,
      },
      { name: "app/.well-known/[...path]/route.js", code: handlers },
      { name: "app/oauth/[...path]/route.js", code: handlers },
    ],
    run: `npx next dev --port ${port} --hostname ${host}`,
  };
}
