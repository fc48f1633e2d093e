import type { Resource } from "@admin/resources";

/** Frameworks with an example here; every adapter has its own in its README. */
export const frameworks = ["express", "fastify", "hono", "koa", "next"] as const;
export type Framework = (typeof frameworks)[number];

interface Question {
  readonly framework: Framework;
  readonly issuer: string;
  readonly service: Pick<Resource, "name" | "resource" | "clientId" | "requestPrefixes" | "supportedScopes">;
}

/** What to paste in order: the installation, the files of the service, and the command that starts it. */
export interface AdapterCode {
  readonly install: string;
  readonly files: readonly { readonly name: string; readonly code: string }[];
  readonly run: string;
}

interface Values {
  /** The options of `initAuthz` behind the issuer. */
  readonly options: string;
  readonly issuer: string;
  readonly path: string;
  readonly scopes: string;
  readonly host: string;
  readonly port: number;
}

const text = (value: unknown) => JSON.stringify(value);

/** A service with one protected route and the values of a registered one; it runs as it is. */
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
    options,
    issuer: text(issuer),
    path: pathname,
    scopes: text(supportedScopes.slice(0, 1)),
    // On other hosts, a proxy with TLS is in front of the service.
    host: onThisComputer ? hostname : "0.0.0.0",
    port: onThisComputer ? Number(port || "80") : 8080,
  };
  return framework === "next" ? nextCode(values) : programCode(framework, values);
}

interface Program {
  /** Packages besides the adapter. */
  readonly packages: string;
  readonly imports: string;
  /** The application with its protected route. */
  readonly app: (values: Values) => string;
}

const programs: Readonly<Record<Exclude<Framework, "next">, Program>> = {
  express: {
    packages: "express",
    imports: 'import express from "express";',
    app: ({ path, scopes, host, port }) => `const app = express();
authz.registerRoutes(app);

app.get(${text(path)}, authz.requireAuth({ scopes: ${scopes} }), (req, res) => {
  res.json({ caller: req.auth.identity });
});

app.listen(${port}, ${text(host)});`,
  },
  fastify: {
    packages: "fastify",
    imports: 'import Fastify from "fastify";',
    app: ({ path, scopes, host, port }) => `const app = Fastify();
authz.registerRoutes(app);

app.get(${text(path)}, { onRequest: authz.requireAuth({ scopes: ${scopes} }) }, async (request) => {
  return { caller: request.auth.identity };
});

await app.listen({ port: ${port}, host: ${text(host)} });`,
  },
  hono: {
    packages: "hono @hono/node-server",
    imports: 'import { serve } from "@hono/node-server";\nimport { Hono } from "hono";',
    app: ({ path, scopes, host, port }) => `const app = new Hono();
authz.registerRoutes(app);

app.get(${text(path)}, authz.requireAuth({ scopes: ${scopes} }), (c) => {
  return c.json({ caller: c.get("auth").identity });
});

serve({ fetch: app.fetch, port: ${port}, hostname: ${text(host)} });`,
  },
  koa: {
    packages: "koa @koa/router",
    imports: 'import { Router } from "@koa/router";\nimport Koa from "koa";',
    app: ({ path, scopes, host, port }) => `const app = new Koa();
authz.registerRoutes(app);

const router = new Router();
router.get(${text(path)}, authz.requireAuth({ scopes: ${scopes} }), (ctx) => {
  ctx.body = { caller: ctx.state.auth.identity };
});
app.use(router.routes());

app.listen(${port}, ${text(host)});`,
  },
};

/** One file, which Node.js runs. */
function programCode(framework: keyof typeof programs, values: Values): AdapterCode {
  const { packages, imports, app } = programs[framework];
  const code = `import { generateEs256KeyPair, inMemory, initAuthz } from "@authz/${framework}";
${imports}

const authz = initAuthz(${values.issuer}, ${values.options});

${app(values)}
authz.ready().catch((error) => console.error(error.message));
`;
  return {
    install: `npm install @authz/${framework} ${packages}`,
    files: [{ name: "server.mjs", code }],
    run: "node server.mjs",
  };
}

/** Files for an application made by `create-next-app`; the path of each is its address. */
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
