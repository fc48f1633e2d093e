/** What the sources of each workspace may import, beside themselves and Node. Everything else is a wrong direction. */
export const allowedImports: Readonly<Record<string, readonly string[]>> = {
  "packages/dpop": [],
  "packages/skills": ["@authz/dpop"],
  "packages/verify": ["@authz/dpop", "@authz/skills"],
  "packages/express": ["@authz/verify", "express"],
  "packages/koa": ["@authz/verify", "koa"],
  "packages/fastify": ["@authz/verify", "fastify", "fastify-plugin"],
  "packages/hono": ["@authz/verify", "hono"],
  // Web-standard types are all it needs of Next.js.
  "packages/next": ["@authz/verify"],
  "packages/replay-postgres": ["@authz/dpop", "pg"],
  "packages/replay-redis": ["@authz/dpop", "ioredis", "redis"],
  "packages/client": ["@authz/dpop", "openid-client", "oauth4webapi"],
  "packages/agent-tools": ["@authz/dpop", "@authz/skills", "@modelcontextprotocol/server"],
  "packages/cli": [
    "@authz/agent-tools",
    "@authz/client",
    "@authz/dpop",
    "@authz/skills",
    "@modelcontextprotocol/server",
    "commander",
    "jq-wasm",
    "open",
    "@napi-rs/keyring",
  ],
  "packages/dev-idp": ["oidc-provider"],
  // The server and the provider are started as programs.
  "packages/dev": ["@authz/dpop", "@authz/skills", "commander", "pg"],
  "packages/testing": ["@authz/dpop", "@authz/skills", "@authz/verify"],
  // Shared tables of tests: private, and imported by tests only.
  "packages/contract-tests": ["@authz/dpop", "@authz/skills", "@authz/verify", "@authz/testing"],
  // Examples use published names, as a stranger would.
  "examples/contracts-express": ["@authz/express"],
  "examples/contracts-koa": ["@authz/koa"],
  "examples/contracts-fastify": ["@authz/fastify"],
  "examples/node-http": ["@authz/verify"],
  "examples/mcp-server": ["@authz/express"],
  "examples/dev-notes": ["oidc-provider", "@authz/dev-idp"],
  // Compares the adapters with each other and with others' libraries.
  benchmarks: [
    "@authz/dev-idp",
    "@authz/dpop",
    "@authz/testing",
    "@authz/verify",
    "@authz/express",
    "@authz/fastify",
    "@authz/koa",
    "authz-server",
    "authz-tools",
  ],
  // Node's own modules are all it needs.
  proxy: [],
  // Of the workspace the server composes these libraries; its other packages are listed in its package.json.
  "reference-server": ["@authz/agent-tools", "@authz/dpop", "@authz/skills"],
  // Screens; of the server it knows the types of the admin API, by the alias `@admin`.
  "reference-server/web": [],
  // Started over HTTP and through public commands; a library is used where the demonstration needs one, and the server's own code to let
  // a company have a past for its pictures.
  tools: ["@authz/agent-tools", "@authz/client", "@authz/dpop", "authz-server"],
};

/** Workspaces whose packages from the registry are judged by their package.json alone. */
export const judgedByManifest: readonly string[] = [
  "reference-server",
  "reference-server/web",
  "tools",
  "benchmarks",
  "packages/contract-tests",
  "examples/contracts-express",
  "examples/contracts-koa",
  "examples/contracts-fastify",
  "examples/mcp-server",
];

/** Inside the server: which files may know a library. */
export const serverLibraries: readonly {
  readonly name: string;
  readonly matches: RegExp;
  readonly allowedIn: RegExp;
}[] = [
  {
    name: "Fastify",
    matches: /^(?:fastify|fastify-plugin|fastify-type-provider-zod|@fastify\/.*)$/,
    allowedIn:
      /^(?:platform\/http\/.*|admin\/door\/[a-z-]+\.ts|person\/api\/door\.ts|oauth\/endpoints\/[a-z-]+\.ts|.*\/routes\.ts|server\.ts)$/,
  },
  {
    name: "Knex and pg",
    matches: /^(?:knex|pg)$/,
    allowedIn: /^store\//,
  },
  {
    name: "CEL",
    matches: /^@marcbachmann\/cel-js$/,
    allowedIn: /^rules\/condition\.ts$/,
  },
  {
    // Loaded by server.ts when traces are wanted, and only then.
    name: "OpenTelemetry",
    matches: /^@opentelemetry\//,
    allowedIn: /^platform\/tracing\/open-telemetry\.ts$/,
  },
];

/** Inside the server: folders that decide, and the folders they must not know. */
export const pureFolders = ["permissions", "oauth/grants", "oauth/tokens", "rules"];
export const impureTargets =
  /^reference-server\/src\/(?:platform\/http\/(?!protected-request)|store\/(?:postgres|migrate)\/)/;

/**
 * The rooms of the server, from the ground up: each knows only those before it. A file beside the folders is a room of its own, named
 * with its ending.
 */
export const serverRooms: readonly string[] = [
  "platform",
  "text",
  "config",
  "protocol",
  "rules",
  "objects",
  "store",
  "audit",
  "encryption-keys",
  "pages",
  "permissions",
  "notifications",
  "forwarding",
  "sign-in",
  "lifecycle",
  "oauth",
  "approvals",
  "skills",
  "connectors",
  "context.ts",
  "registry",
  "signals",
  "person",
  "sign-in-tests",
  "set-up",
  "scim",
  "admin",
  "upkeep",
  "commands",
  "server.ts",
  "harden-process.ts",
  "report-failure.ts",
  "main.ts",
];

/** The rooms of the console, in the same order: what several need moves down, what a lower room needs is passed in. */
export const consoleRooms: readonly string[] = [
  "store.ts",
  "text",
  "api",
  "address",
  "parts",
  "screens",
  "app",
  "main.tsx",
];

/** The one file that imports from another workspace by a path: what it takes is in no published entry point. */
export const unpublishedParts = "tools/src/parts.ts";

/** Names that say nothing about what is inside. */
export const emptyNames = /^(?:utils?|helpers?|common|shared|misc|managers?|services?)(?:\.[a-z.]+)?$/;

/** The only files that may look at the environment of the process; the command line has one for all it takes from the process, PostgreSQL a list of what it may know, and the SDK one for the platform it runs on. */
export const environmentReaders =
  /(?:^|\/)(?:config|main)\.ts$|^packages\/(?:cli\/src\/runtime|dev\/src\/postgres\/run-postgres|verify\/src\/options\/platform)\.ts$/;
