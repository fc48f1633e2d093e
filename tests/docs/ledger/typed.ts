/** What is typed by which test. The tests take their blocks through a `Typist`, which refuses what is not here and knows what is left. */
import { type BlockNames, findBlocks, type PrintedBlock, printedBlocks } from "./printed.js";

/** The packages whose READMEs lead from an empty folder to a service that is registered and answers. */
export const serviceReadmes = ["express", "koa", "fastify", "hono", "verify", "next"] as const;

const fromNothing: Record<string, readonly string[]> = {
  "docs/guides/publish-skills.md": ["authz skills find"],
  "docs/reference/cli.md": ["npm install --global", "AUTHZ_TOKEN_STORE=file authz login", "authz setup"],
  "docs/tutorials/let-an-agent-work.md": [
    "npx @authz/dev register",
    "npx @authz/cli skills",
    "npx @authz/cli login",
  ],
  "docs/tutorials/protect-an-api.md": [
    "npx @authz/dev",
    "npm install",
    "node server.mjs",
    "curl",
    "npx @authz/dev register",
    "npx @authz/cli login",
    "npx @authz/cli request",
  ],
  "docs/tutorials/protect-an-mcp-server.md": ["npm install", "node server.mjs", "curl"],
  "install.md": ["npm install --global"],
  "packages/cli/README.md": ["npm install --global"],
  "packages/dev/README.md": ["npx @authz/dev", "npx @authz/dev register", "npx @authz/dev --port"],
};
for (const name of serviceReadmes) {
  const starts = name === "next" ? [] : ["node server.mjs"];
  const blocks = ["npm install", "npx @authz/dev", ...starts, "npx @authz/dev register"];
  fromNothing[`packages/${name}/README.md`] = [...blocks, name === "verify" ? "curl" : "curl http"];
}

/** By test, from the root. */
export const typed = {
  "tests/docs/from-nothing.system.test.ts": fromNothing,
  // Besides, every block that only installs.
  "tests/docs/installations.system.test.ts": {},
  "tests/docs/operator.system.test.ts": {
    "docs/operate/backup.md": ["pg_dump", "pg_restore", "authz-server after-restore"],
    "docs/operate/connector-keys.md": ["openssl", "authz-server connector-keys"],
    "docs/operate/rotate-keys.md": [
      "authz-server keys stage",
      "authz-server keys activate",
      "authz-server keys stage\nauthz-server keys activate NEW_KID --emergency\nauthz-server keys retire OLD_KID --emergency",
      "authz-server keys retire",
      "authz-server credential-keys",
    ],
    "docs/operate/set-up.md": ["authz-server install"],
    "docs/operate/upgrade.md": ["pg_dump", "pg_restore"],
    "proxy/README.md": ["AUTHZ_UPSTREAM="],
  },
  "tests/docs/quickstart.system.test.ts": {
    "packages/express/README.md": ["npm install", "node server.mjs", "curl http"],
    "packages/fastify/README.md": ["npm install", "node server.mjs", "curl http"],
    "packages/hono/README.md": ["npm install", "node server.mjs", "curl http"],
    "packages/koa/README.md": ["npm install", "node server.mjs", "curl http"],
  },
  "tests/docs/repository.system.test.ts": {
    "README.md": ["npm start"],
    "docs/guides/connections.md": [
      "npx @authz/cli connections\nnpx @authz/cli connections connect notes",
      "npx @authz/cli request --connection notes http",
      "npx @authz/cli request --connection notes -X DELETE",
      "npx @authz/cli connections --agent",
      "npx @authz/cli connections disconnect",
    ],
    "docs/guides/first-run.md": [
      "npm start",
      "npx @authz/cli login",
      "npx @authz/cli connections",
      "curl",
      "npm run demo",
    ],
    "docs/tutorials/protect-an-mcp-server.md": ["npm start"],
    "examples/contracts-express/README.md": ["AUTHZ_ISSUER="],
    "examples/contracts-fastify/README.md": ["AUTHZ_ISSUER="],
    "examples/contracts-koa/README.md": ["AUTHZ_ISSUER="],
    "examples/mcp-server/README.md": ["AUTHZ_ISSUER="],
    "examples/node-http/README.md": ["AUTHZ_ISSUER="],
  },
  "tests/docs/secrets.test.ts": {
    "docs/operate/compose.md": ["(umask 077; docker run", "cat >> .env"],
    "reference-server/README.md": ["(umask 077; docker run"],
  },
  "packages/cli/test/system/real-system.system.test.ts": {
    "docs/guides/agent-session.md": ["authz skills find"],
  },
} satisfies Readonly<Record<string, BlockNames>>;

export type TypingTest = keyof typeof typed;

/** Every block that only installs packages of ours in a folder, on whatever page it stands, and that does not belong to a longer story. */
function installations(blocks: readonly PrintedBlock[]): PrintedBlock[] {
  const named = new Set(findBlocks(fromNothing, blocks));
  const isPlain = (line: string) => line.startsWith("npm install ") && !line.includes("--global");
  return blocks.filter(
    (block) =>
      !named.has(block) &&
      block.commands.every(isPlain) &&
      block.commands.some((line) => line.includes(" @authz/")),
  );
}

/** The blocks that a test types. */
export function typedBy(test: TypingTest, blocks: readonly PrintedBlock[] = printedBlocks()): PrintedBlock[] {
  const named = findBlocks(typed[test], blocks);
  return test === "tests/docs/installations.system.test.ts" ? [...named, ...installations(blocks)] : named;
}
