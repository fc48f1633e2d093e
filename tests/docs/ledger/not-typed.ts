/** What no test types, and why not. What is typed here is still held to what the programs themselves know: see commands.test.ts. */
import type { BlockNames } from "./printed.js";

/** Why blocks are not typed. */
export const notTyped: readonly { readonly because: string; readonly blocks: BlockNames }[] = [
  {
    because:
      "a program of somebody else that signs in at its maker; hosts.test.ts compares the lines with their source",
    blocks: {
      "docs/guides/first-run.md": ["claude mcp add"],
      "docs/hosts/claude-code.md": [
        "claude mcp add --transport http --scope user",
        "claude plugin marketplace",
        "claude mcp add --transport http contracts",
      ],
      "docs/hosts/codex.md": [
        "codex mcp add authz",
        "codex plugin marketplace",
        "codex mcp add contracts",
        "codex mcp login contracts --oauth",
      ],
      "docs/hosts/copilot.md": ["copilot mcp add", "copilot plugin marketplace"],
      "docs/hosts/gemini-cli.md": ["gemini mcp add", "gemini extensions install"],
      "docs/hosts/opencode.md": ["opencode mcp add", "opencode mcp auth contracts"],
      "docs/hosts/vs-code.md": [`code --add-mcp '{"name":"authz"`, `code --add-mcp '{"name":"contracts"`],
      "docs/tutorials/let-an-agent-work.md": ["npm install --global"],
      "docs/tutorials/protect-an-mcp-server.md": ["claude mcp add"],
      "install.md": [
        "claude mcp add",
        "codex mcp add",
        "code --add-mcp",
        "copilot mcp add",
        "opencode mcp add",
        "gemini mcp add",
      ],
    },
  },
  {
    because: "needs a Docker engine; tests/images runs what is in the images",
    blocks: {
      "docs/operate/audit-archive.md": [
        'docker compose run --rm --volume "$PWD:/archive" server audit archive',
        'docker compose run --rm --volume "$PWD:/archive" server audit remove',
      ],
      "docs/operate/backup.md": ["docker run --rm --network host", "docker run --rm --interactive"],
      "docs/operate/compose.md": [
        "docker compose up",
        "docker compose --file",
        "CONTRACTS_ORIGIN=",
        "docker compose run",
        "docker compose exec",
        "docker compose stop",
        "docker compose pull",
      ],
      "docs/operate/proxy.md": ["docker run"],
      "docs/operate/upgrade.md": ["docker compose run"],
    },
  },
  {
    because: "needs a cluster; tests/deploy renders the chart",
    blocks: {
      "deploy/helm/authz/README.md": [`: "\${POSTGRES_URL:?}"`],
      "docs/operate/kubernetes.md": [`: "\${POSTGRES_URL:?}"`, "helm upgrade"],
    },
  },
  {
    because: "needs root, systemd and a machine of its own; operate.test.ts compares the units",
    blocks: {
      "docs/operate/vm.md": [
        "sudo apt",
        "npm ci",
        "sudo cp deploy/caddy",
        "sudo sh -c",
        "sudo cp deploy/systemd",
      ],
    },
  },
  {
    because: "needs machines of its own; fail-over.system.test.ts runs the set-up of the page",
    blocks: { "docs/operate/fail-over.md": ["patronictl"] },
  },
  {
    because: "needs a published image and its signature",
    blocks: { "docs/operate/images.md": ["cosign verify"] },
  },
  {
    because: "needs a published release",
    blocks: { "docs/reference/cli.md": ["curl -fLO"] },
  },
  {
    because: "needs an account at GitHub",
    blocks: { "docs/guides/connections.md": ["npx @authz/cli connections connect github"] },
  },
  {
    because: "needs OpenBao; its API is answered in the tests of the vault",
    blocks: { "docs/operate/connector-keys.md": ["bao secrets"] },
  },
  {
    because:
      "needs archives of two years; archive.test.ts writes such, and audit.system.test.ts types the command with one",
    blocks: { "docs/operate/audit-archive.md": ["authz-server audit verify-archive"] },
  },
  {
    because: "runs this repository's own tests and tools, one of them this test",
    blocks: { "CONTRIBUTING.md": ["npx vitest run"] },
  },
  {
    because: "takes minutes and a quiet machine",
    blocks: { "benchmarks/README.md": ["npm run bench"] },
  },
  {
    because: "is a run of tests of its own, in CI",
    blocks: { "docs/reference/conformance.md": ["npm run test:conformance"] },
  },
];

/** Why a single command of a block that is typed is left out. By page and command, without its comment. */
export const leftOut: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "README.md": { "npm test": "runs this test, among all others" },
};

/** Whether a command of a page is left out where the rest of its block is typed. */
export function isLeftOut(page: string, command: string): boolean {
  return command.replace(/\s+#.*$/, "") in (leftOut[page] ?? {});
}
