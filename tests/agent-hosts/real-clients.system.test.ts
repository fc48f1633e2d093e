import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import type { AgentHost } from "../../tools/src/agent-host/host.js";
import { Browser } from "../../tools/src/scriptless/browser.js";
import { signIn } from "../../tools/src/demo/sign-in.js";
import { installPackages, RegistryAwayError } from "../../tools/src/packages/install-packages.js";
import { readAnswer } from "./test-agent.js";
import { createVisitor } from "./visitor.js";
import { startWorld, type World } from "./world.js";

const run = promisify(execFile);

/** Programs that people use, as they come from npm. */
const programs = ["mcp-remote@0.15.1", "@apify/mcpc@0.2.6"];

const folder = mkdtempSync(join(tmpdir(), "authz-real-clients-"));
const isAway = await installPackages(folder, programs).then(
  () => false,
  (error: unknown) => {
    if (!(error instanceof RegistryAwayError)) throw error;
    console.warn(`Not driven: ${programs.join(", ")}. ${error.message}`);
    return true;
  },
);

/** The two ways in for a program that nobody registered. */
const ways = [
  { way: "the address of a metadata document", hasDocument: true },
  { way: "nothing, so that it registers itself", hasDocument: false },
];

afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe.skipIf(isAway)("From npm", () => {
  let world: World;
  let host: AgentHost;
  beforeAll(async () => {
    world = await startWorld();
    // The programs take nothing of it but its metadata document: theirs would have to be on the internet.
    host = await world.startHost("ada");
  });
  afterAll(() => world.close());

  test.each(ways)(
    "mcp-remote with $way gets in, goes on for an hour, and asks for one more scope",
    async (given) => {
      const home = moveIn();
      const identity = ["--static-oauth-client-info", JSON.stringify({ client_id: host.clientId })];
      const transport = new StdioClientTransport({
        command: binaryOf("mcp-remote"),
        args: [world.url.href, "--callback-path", "/callback", ...(given.hasDocument ? identity : [])],
        env: home.env,
        stderr: "ignore",
      });
      const client = new Client({ name: "host", version: "1.0.0" });
      const call = async (name: string, input: Record<string, unknown> = {}): Promise<unknown> =>
        readAnswer(await client.callTool({ name, arguments: input }));
      try {
        await Promise.all([client.connect(transport), home.visit()]);
        expect((await client.listTools()).tools).toHaveLength(2);
        expect(await call("list_contracts")).toHaveProperty("requested_by");
        await world.advance(3600);
        expect(await call("list_contracts")).toHaveProperty("requested_by");
        await world.allow("ada", "contracts:write");
        const [created] = await Promise.all([call("create_contract", { customer: "Acme" }), home.visit()]);
        expect(created).toMatchObject({ customer: "Acme" });
      } finally {
        await client.close();
      }
    },
  );

  test.each(ways)("mcpc with $way gets in, and calls a tool", async ({ hasDocument }) => {
    const home = moveIn();
    const mcpc = async (...args: readonly string[]): Promise<unknown> => {
      const call = run(binaryOf("mcpc"), ["--json", ...args], { env: home.env });
      // Where there is no terminal it waits there for arguments of a tool.
      call.child.stdin?.end();
      return JSON.parse((await call).stdout);
    };
    const identity = hasDocument ? ["--client-id", host.clientId] : [];
    await Promise.all([mcpc("login", world.url.href, ...identity), home.visit()]);
    try {
      // Its helper process has five seconds to start, which a busy machine does not always keep.
      await vi.waitFor(() => mcpc("connect", world.url.href, "@contracts"), { timeout: 120_000 });
      const answer = await mcpc("@contracts", "tools-call", "list_contracts", "{}");
      expect(readAnswer(answer)).toHaveProperty("requested_by");
    } finally {
      await mcpc("close", "@contracts");
    }
  });
});

function binaryOf(name: string): string {
  return join(folder, "node_modules", ".bin", name);
}

/** A home for one program, with a browser that Ada looks into. */
function moveIn(): { readonly env: Record<string, string>; visit(): Promise<unknown> } {
  const visitor = createVisitor(mkdtempSync(join(folder, "home-")));
  const browser = new Browser();
  return {
    env: visitor.env,
    visit: async () => await signIn(browser, await visitor.opened(), { person: "ada" }),
  };
}
