import type { ChildProcess } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { end } from "../empty-computer.js";
import { typeBlock } from "../printed-blocks.js";
import { typeAs } from "../terminal.js";
import { findOrigin, printedIn, type World } from "./world.js";

const protectApi = "docs/tutorials/protect-an-api.md";
const agentWork = "docs/tutorials/let-an-agent-work.md";
const protectMcp = "docs/tutorials/protect-an-mcp-server.md";

/** The service of the first tutorial with the skills of another page. */
export function serviceWithSkills(page: string): string {
  const [skills] = /^ {2}skills: \{\n[^]*?^ {2}\},\n/m.exec(printedIn(page, "ts")) ?? [];
  if (skills === undefined) throw new Error(`${page} shows no skills.`);
  const service = printedIn(protectApi, "js", "import ");
  return service.replace("  replayStore", () => `${skills}  replayStore`);
}

/** Runs the tutorials in order. They run before other services, because they give a permission to Ada alone. */
export function testTutorials(world: () => World): void {
  let origin: string;
  let folder: string;
  let service: ChildProcess | undefined;
  afterAll(() => end(service));

  async function start(code: string): Promise<void> {
    writeFileSync(join(folder, "server.mjs"), world().here(code, origin));
    await typeBlock(protectApi, "node server.mjs", async (line) => {
      service = await world().serve(line, folder, origin);
    });
  }

  describe("docs/tutorials/protect-an-api.md", () => {
    it("prints a service that answers 401 as printed", async () => {
      origin = await findOrigin();
      folder = world().computer.home;
      await world().type(protectApi, "npm install", { origin });
      await start(printedIn(protectApi, "js", "import "));
      const [answer] = await world().type(protectApi, "curl", { origin });
      const shown = world().here(printedIn(protectApi, "text", "HTTP/1.1 401"), origin);
      expect(missingLines(answer?.stdout ?? "", shown)).toEqual([]);
    });

    it("registers it for Ada, who gets the printed answer", async () => {
      await world().type(protectApi, "npx @authz/dev register", { origin });
      const [login, request] = await world().type(protectApi, "npx @authz/cli login", { origin });
      expect(login?.stderr).toContain("Signed in as Ada Lovelace");
      expect(JSON.parse(request?.stdout ?? "")).toEqual(JSON.parse(printedIn(protectApi, "json")));
    });

    it("refuses an unknown permission and lists the existing ones", async () => {
      const refused = { origin, statuses: [4] };
      const [typed] = await world().type(protectApi, "npx @authz/cli request", refused);
      expect(typed?.stdout).toBe("");
      expect(typed?.stderr).toContain("contracts:read");
    });
  });

  describe("docs/tutorials/let-an-agent-work.md", () => {
    it("publishes a skill that an agent finds and reads", async () => {
      await end(service);
      await start(serviceWithSkills(agentWork));
      await world().type(agentWork, "npx @authz/dev register", { origin });
      const key = `service-${new URL(origin).port}`;
      const [found, shown] = await typeBlock(agentWork, "npx @authz/cli skills", (line) =>
        world().computer.type(line.replace("SERVICE", key)),
      );
      expect(found).toContain(`${key}.list-contracts`);
      expect(shown).toContain("The answer is JSON: `contracts` holds the number of each contract.");
    });

    it("prints whom Clara can ask, as shown", async () => {
      // The page has Bruno sign in at the console first; before that, only his address is known.
      const bruno = `npx @authz/cli login --issuer ${world().issuer} --profile bruno`;
      expect(await typeAs("bruno", bruno, { terminal: world().computer })).toMatchObject({ status: 0 });
      const asClara = { origin, person: "clara", statuses: [0, 4] };
      const [, why] = await world().type(agentWork, "npx @authz/cli login", asClara);
      expect(why?.stdout).toContain(printedIn(agentWork, "text").trim());
    });
  });
}

/** Starts the service of the MCP tutorial. tests/agent-hosts registers it in the console and calls it from hosts. */
export function testMcpTutorial(world: () => World): void {
  describe("docs/tutorials/protect-an-mcp-server.md", () => {
    let service: ChildProcess | undefined;
    afterAll(() => end(service));

    it("prints a service that answers 401 as printed", async () => {
      const origin = await findOrigin();
      const folder = world().computer.folder("mcp");
      await world().type(protectMcp, "npm install", { origin, cwd: folder });
      writeFileSync(join(folder, "server.mjs"), world().here(printedIn(protectMcp, "js"), origin));
      await typeBlock(protectMcp, "node server.mjs", async (line) => {
        service = await world().serve(line, folder, origin);
      });
      const [answer] = await world().type(protectMcp, "curl", { origin });
      const shown = printedIn(protectMcp, "text", "HTTP/1.1 401").replace(/, DPoP …/, "");
      expect(missingLines(answer?.stdout ?? "", world().here(shown, origin))).toEqual([]);
    });
  });
}

/** Lines shown by a page that no line of the answer begins with. */
function missingLines(answer: string, shown: string): string[] {
  const lines = answer.replaceAll("\r", "").toLowerCase().split("\n");
  const expected = shown.trim().toLowerCase().split("\n");
  return expected.filter((line) => !lines.some((one) => one.startsWith(line)));
}
