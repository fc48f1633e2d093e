/** The place of every page: four kinds and help. A test checks that each page of `docs/` is here once. */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { root } from "./pages.mjs";

const decisions = readdirSync(join(root, "docs/adr"))
  .filter((name) => /^\d/.test(name))
  .map((name) => `docs/adr/${name}`);

export const navigation = [
  {
    text: "Tutorials",
    start: "docs/tutorials/protect-an-api.md",
    groups: [
      {
        pages: [
          ["docs/README.md", "Overview"],
          "docs/guides/first-run.md",
          "docs/tutorials/protect-an-api.md",
          "docs/tutorials/protect-an-mcp-server.md",
          "docs/tutorials/let-an-agent-work.md",
        ],
      },
    ],
  },
  {
    text: "How-to guides",
    start: "docs/guides/recipes/README.md",
    groups: [
      {
        text: "Services",
        pages: [
          "docs/guides/publish-skills.md",
          "docs/guides/recipes/README.md",
          "docs/guides/recipes/nestjs.md",
          "docs/guides/recipes/hono.md",
          "docs/guides/recipes/bun.md",
          "docs/guides/recipes/deno.md",
          "docs/guides/recipes/monorepos.md",
          "docs/guides/recipes/machines.md",
          "docs/guides/recipes/several-processes.md",
          "docs/guides/recipes/serverless.md",
          "docs/guides/recipes/browser-apps.md",
          "docs/guides/recipes/websockets.md",
          "docs/guides/recipes/uploads.md",
          "docs/guides/recipes/behind-a-proxy.md",
          "docs/guides/migrate-from-express-oauth2-jwt-bearer.md",
          ["examples/contracts-express/README.md", "Example: Express"],
          ["examples/contracts-fastify/README.md", "Example: Fastify"],
          ["examples/contracts-koa/README.md", "Example: Koa"],
          ["examples/node-http/README.md", "Example: node:http"],
          ["examples/mcp-server/README.md", "Example: MCP server"],
          ["packages/dev-idp/README.md", "The development OpenID provider"],
          ["examples/dev-notes/README.md", "Example: third party"],
        ],
      },
      {
        text: "Agents",
        pages: [
          "docs/guides/agent-session.md",
          "docs/guides/connections.md",
          "docs/hosts/README.md",
          "docs/hosts/claude-code.md",
          "docs/hosts/claude.md",
          "docs/hosts/chatgpt.md",
          "docs/hosts/vs-code.md",
          "docs/hosts/cursor.md",
          "docs/hosts/codex.md",
          "docs/hosts/copilot.md",
          "docs/hosts/opencode.md",
          "docs/hosts/gemini-cli.md",
          ["plugins/README.md", "Plugins"],
          ["install.md", "A page for agents"],
        ],
      },
      {
        text: "Administration",
        pages: [
          "docs/guides/administrators.md",
          "docs/operate/console.md",
          "docs/operate/permissions.md",
          "docs/operate/roles.md",
          "docs/operate/access-requests.md",
          "docs/operate/approvals.md",
          "docs/operate/people-and-providers.md",
          "docs/operate/provisioning.md",
          "docs/operate/stop.md",
          "docs/operate/apps.md",
          "docs/operate/agents-endpoint.md",
          "docs/operate/identity-assertions.md",
          "docs/operate/signals.md",
          "docs/operate/connectors.md",
          "docs/operate/rules.md",
          "docs/operate/skills-and-settings.md",
        ],
      },
      {
        text: "Operation",
        pages: [
          "docs/operate/README.md",
          "docs/operate/compose.md",
          "docs/operate/kubernetes.md",
          "docs/operate/vm.md",
          "docs/operate/images.md",
          "docs/operate/set-up.md",
          "docs/operate/tls.md",
          "docs/operate/scaling.md",
          "docs/operate/fail-over.md",
          "docs/operate/upgrade.md",
          "docs/operate/backup.md",
          "docs/operate/rotate-keys.md",
          "docs/operate/encryption-keys.md",
          "docs/operate/alerts.md",
          "docs/operate/audit-archive.md",
          "docs/operate/proxy.md",
          ["proxy/README.md", "The discovery proxy as a program"],
        ],
      },
    ],
  },
  {
    text: "Reference",
    start: "docs/reference/cli.md",
    groups: [
      {
        pages: [
          "docs/reference/cli.md",
          "docs/reference/configuration.md",
          "docs/reference/reasons.md",
          "docs/reference/log-codes.md",
          "docs/reference/wire-profile.md",
        ],
      },
      {
        text: "SDK",
        pages: [
          "docs/reference/sdk.md",
          "docs/reference/service.md",
          ["packages/express/README.md", "@authz/express"],
          ["packages/fastify/README.md", "@authz/fastify"],
          ["packages/koa/README.md", "@authz/koa"],
          ["packages/hono/README.md", "@authz/hono"],
          ["packages/next/README.md", "@authz/next"],
          ["packages/verify/README.md", "@authz/verify"],
          ["packages/dpop/README.md", "@authz/dpop"],
          ["packages/skills/README.md", "@authz/skills"],
          ["packages/replay-postgres/README.md", "@authz/replay-postgres"],
          ["packages/replay-redis/README.md", "@authz/replay-redis"],
          ["packages/testing/README.md", "@authz/testing"],
          ["packages/dev/README.md", "@authz/dev"],
          ["packages/client/README.md", "@authz/client"],
          ["packages/cli/README.md", "@authz/cli"],
          ["packages/agent-tools/README.md", "@authz/agent-tools"],
        ],
      },
      {
        text: "Administration",
        pages: [
          "docs/reference/admin-api.md",
          "docs/reference/admin-api-operations.md",
          "docs/reference/registry-file.md",
          "docs/reference/installation-file.md",
          "docs/reference/group-directory.md",
          "docs/reference/audit-trail.md",
          "docs/reference/events.md",
        ],
      },
      {
        text: "Connections",
        pages: [
          "docs/reference/connections.md",
          "docs/reference/connector-requests.md",
          "docs/reference/service-calls.md",
        ],
      },
      { text: "Measured", pages: ["docs/reference/conformance.md", "docs/reference/performance.md"] },
    ],
  },
  {
    text: "Explanation",
    start: "docs/explanation/concepts.md",
    groups: [
      {
        pages: [
          "docs/explanation/concepts.md",
          "docs/explanation/security-model.md",
          "docs/explanation/dpop-and-assertions.md",
          "docs/explanation/comparison.md",
          "docs/reference/threat-model.md",
        ],
      },
      { text: "Decisions", pages: ["docs/adr/README.md", ...decisions] },
    ],
  },
  {
    text: "Help",
    start: "docs/help/troubleshooting.md",
    groups: [
      {
        pages: [
          "docs/help/troubleshooting.md",
          "docs/help/faq.md",
          "docs/help/glossary.md",
          "docs/help/versions.md",
          ["docs/assets/console/README.md", "Pictures of the console"],
          "CONTRIBUTING.md",
          "SECURITY.md",
        ],
      },
    ],
  },
];

/** All documents of the navigation, in order. */
export function navigated() {
  return navigation.flatMap(({ groups }) => groups.flatMap(({ pages }) => pages.map(documentOf)));
}

export function documentOf(page) {
  return typeof page === "string" ? page : page[0];
}
