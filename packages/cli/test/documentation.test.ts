import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Command } from "commander";
import { describe, expect, it } from "vitest";
import { processSurroundings } from "../src/index.js";
import { createProgram } from "../src/program/program.js";
import { startCliWorld } from "./support/cli-world.js";

const docs = join(dirname(fileURLToPath(import.meta.url)), "..", "..", "..", "docs");

function everyCommand(command: Command): readonly Command[] {
  return [command, ...command.commands.flatMap(everyCommand)];
}

function pathOf(command: Command): string {
  return command.parent === null ? command.name() : `${pathOf(command.parent)} ${command.name()}`;
}

describe("the reference", () => {
  it("describes every command and option", async () => {
    const text = await readFile(join(docs, "reference", "cli.md"), "utf8");
    const { root } = createProgram(processSurroundings(), { json: false, agent: false });
    for (const command of everyCommand(root)) {
      expect(text).toContain(pathOf(command));
      for (const { long } of command.options) expect(text).toContain(long);
    }
  });

  it("names every exit code's failures", async () => {
    const text = await readFile(join(docs, "reference", "cli.md"), "utf8");
    const sources = ["../src/cli-error.ts", "../../client/src/errors.ts"];
    for (const source of sources) {
      const code = await readFile(join(dirname(fileURLToPath(import.meta.url)), source), "utf8");
      for (const [, name = ""] of code.matchAll(/^ {2}\| "(\w+)"/gm)) expect(text).toContain(`\`${name}\``);
    }
  });
});

describe("the guide for agents", () => {
  it("shows a session as it really goes: find, read, request, denied, why", async () => {
    const world = await startCliWorld();
    await world.login();
    const skill = { tags: ["contracts"], resource: "contracts", allowed: true };
    world.server.skills.push(
      {
        ...skill,
        id: "contracts.list-contracts",
        title: "List contracts",
        requiredScopes: ["contracts:read"],
        content:
          "# List contracts\n\nAnswers with every contract: `id`, `customer`, `status`.\n\n    authz request --scope contracts:read https://contracts.example.com/api/contracts\n",
      },
      {
        ...skill,
        id: "contracts.sign-contract",
        title: "Sign a contract",
        requiredScopes: ["contracts:write"],
        allowed: false,
        content: "# Sign a contract\n",
      },
    );
    world.service.handle = async () => ({
      status: 200,
      body: { requested_by: "user-ada", contracts: [{ id: "C-1", customer: "Northwind", status: "active" }] },
    });
    const steps = [
      "skills find contract",
      "skills show contracts.list-contracts",
      "request --scope contracts:read https://contracts.example.com/api/contracts",
      "request -X POST --scope contracts:write https://contracts.example.com/api/contracts/C-1/signature",
      "why --scope contracts:write https://contracts.example.com/api/contracts/C-1/signature",
    ];
    const shown: string[] = [];
    for (const step of steps) {
      const args = step.replace("https://contracts.example.com", world.service.origin).split(" ");
      const { code, stdout, stderr } = await world.run([...args, "--agent"]);
      shown.push(
        `$ authz ${step} --agent\n${stdout}${stderr}${code === 0 ? "" : `(exit code ${String(code)})\n`}`,
      );
    }
    await world.close();
    const transcript = shown.join("\n").replaceAll(world.service.origin, "https://contracts.example.com");
    const page = `# A session of an agent

Tom has signed in once. From then on his agent finds a skill, reads it, makes the request it describes, and when something is not
allowed it can say which permission is missing and whom to ask. A test runs these commands and writes this page.

\`\`\`text
${transcript}\`\`\`

The same tools are there over the Model Context Protocol: \`authz mcp\`. Everything else is in [the reference](../reference/cli.md).
`;
    await expect(page).toMatchFileSnapshot(join(docs, "guides", "agent-session.md"));
  });
});
