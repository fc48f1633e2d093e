/**
 * Every page with something to type is typed by a test, or says here why it is not, or which part. What is not typed is still held to what
 * the programs themselves know: see commands.test.ts.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readCommandLines } from "./command-lines.js";
import { codeBlocks, listDocuments, root } from "./markdown.js";

/** Takes what it types out of these pages; only ports are others, and what a person does in the browser a program does. */
const typedBy: Readonly<Record<string, readonly string[]>> = {
  "tests/docs/from-nothing.system.test.ts": [
    "docs/guides/recipes/deno.md",
    "docs/guides/recipes/nestjs.md",
    "docs/tutorials/let-an-agent-work.md",
    "docs/tutorials/protect-an-api.md",
    "docs/tutorials/protect-an-mcp-server.md",
    "packages/agent-tools/README.md",
    "packages/cli/README.md",
    "packages/client/README.md",
    "packages/dev-idp/README.md",
    "packages/dev/README.md",
    "packages/dpop/README.md",
    "packages/express/README.md",
    "packages/fastify/README.md",
    "packages/hono/README.md",
    "packages/koa/README.md",
    "packages/replay-postgres/README.md",
    "packages/replay-redis/README.md",
    "packages/skills/README.md",
    "packages/testing/README.md",
    "packages/verify/README.md",
    "docs/reference/cli.md",
    "install.md",
  ],
  "tests/docs/next-quickstart.system.test.ts": ["packages/next/README.md"],
  "tests/docs/secrets.test.ts": ["docs/operate/compose.md", "reference-server/README.md"],
  "packages/cli/test/system/real-system.system.test.ts": ["docs/guides/agent-session.md"],
};

const agentHosts =
  "a program of somebody else that signs in at its maker; hosts.test.ts compares the lines with their source";
const cluster =
  "needs a cluster; tests/deploy renders the chart, and secrets.test.ts runs what writes the secrets";
const containers = "needs a Docker engine; tests/images runs what is in the images";
const exampleIssuer =
  "names an issuer that does not exist; npm start runs the same program with one that does";
const repository = "runs this repository as a whole: tests/system types it, but not out of the page";

/** Why a page, or a part of one, is not typed. */
const notTyped: Readonly<Record<string, string>> = {
  "CONTRIBUTING.md": "runs the tests",
  "README.md": repository,
  "benchmarks/README.md": "takes minutes and a quiet machine",
  "deploy/helm/authz/README.md": cluster,
  "docs/guides/connections.md": `${repository}; connecting to GitHub needs an account there`,
  "docs/guides/first-run.md": repository,
  "docs/guides/publish-skills.md":
    "shows skills of a service of yours; agent-session.md has the same commands with those of ours",
  "docs/hosts/claude-code.md": agentHosts,
  "docs/hosts/codex.md": agentHosts,
  "docs/hosts/gemini-cli.md": agentHosts,
  "docs/hosts/opencode.md": agentHosts,
  "docs/hosts/vs-code.md": agentHosts,
  "docs/operate/audit-archive.md": containers,
  "docs/operate/backup.md": "needs a database to lose; after-restore.test.ts runs what has to follow",
  "docs/operate/compose.md": containers,
  "docs/operate/connector-keys.md": "needs OpenBao; its API is answered in the tests of the vault",
  "docs/operate/images.md": "needs a published image",
  "docs/operate/kubernetes.md": cluster,
  "docs/operate/proxy.md": containers,
  "docs/operate/rotate-keys.md":
    "needs an installation whose keys are old; operator-commands.system.test.ts types the commands",
  "docs/operate/set-up.md": "needs a company's provider; install-file.test.ts installs with one of its own",
  "docs/operate/upgrade.md": "needs two releases",
  "docs/operate/vm.md": "needs root, systemd and a machine of its own; operate.test.ts compares the units",
  "docs/reference/cli.md": "a part downloads a release",
  "docs/reference/conformance.md": "npm run test:conformance is a test itself",
  "docs/tutorials/let-an-agent-work.md": `needs a service that was changed by hand; and Claude Code, ${agentHosts}`,
  "docs/tutorials/protect-an-mcp-server.md":
    "tests/agent-hosts/quickstart.system.test.ts runs its service, and calls it",
  "examples/contracts-express/README.md": exampleIssuer,
  "examples/contracts-fastify/README.md": exampleIssuer,
  "examples/contracts-koa/README.md": exampleIssuer,
  "examples/mcp-server/README.md": exampleIssuer,
  "examples/node-http/README.md": exampleIssuer,
  "install.md": agentHosts,
  "proxy/README.md": "names an upstream that does not exist; tests/images/proxy.system.test.ts has one",
};

/** Variables alone, for a file, are not typed. */
const pages = listDocuments()
  .flatMap(codeBlocks)
  .filter(
    ({ language, code }) =>
      (language === "sh" && readCommandLines(code).length > 0) ||
      (/^(?:console|text)$/.test(language) && /^\$ /m.test(code)),
  )
  .map(({ path }) => path);
const typed = Object.values(typedBy).flat();

test("every page with something to type is typed by a test, or has a reason", () => {
  const known = new Set([...typed, ...Object.keys(notTyped)]);
  expect([...new Set(pages)].filter((path) => !known.has(path))).toEqual([]);
});

test("no page is named that has nothing to type", () => {
  expect([...typed, ...Object.keys(notTyped)].filter((path) => !pages.includes(path))).toEqual([]);
});

test.each(Object.entries(typedBy))("%s reads its pages", (file, paths) => {
  const source = readFileSync(join(root, file), "utf8");
  const readsAll = source.includes("listDocuments()");
  const names = (path: string) => source.includes(path) || source.includes(path.split("/").at(-1) ?? path);
  expect(paths.filter((path) => !readsAll && !names(path))).toEqual([]);
});
