/** Runs the commands of pages for a clone of this repository as printed, on other ports and with a program as the browser. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { type DemoResult, findProblems } from "../../tools/src/demo/result.js";
import { findFreePort } from "../../tools/src/network/ports.js";
import { runTool } from "../packaging/pack.js";
import { findPlace, type Place } from "../system/whole-system.js";
import { end } from "./empty-computer.js";
import { findBlock, printedBlocks, typeBlock } from "./printed-blocks.js";
import { codeBlocks, root } from "./markdown.js";
import { blindBrowser, type Terminal, type Typed, typeAs } from "./terminal.js";

const firstRun = "docs/guides/first-run.md";
const connections = "docs/guides/connections.md";

let place: Place;
let system: ChildProcess | undefined;
let printed = "";

beforeAll(async () => {
  place = await findPlace();
});
afterAll(async () => {
  await end(system);
  place.remove();
});

const spawned = (line: string, cwd: string, variables: NodeJS.ProcessEnv) =>
  spawn("sh", ["-c", line], { cwd, env: { ...place.env, ...variables }, detached: true });

const terminal: Terminal = {
  async tryToType(line, cwd = root, onStderr = () => undefined): Promise<Typed> {
    const child = spawned(line, cwd, blindBrowser(place.env["HOME"] ?? ""));
    child.stderr.on("data", (chunk: Buffer) => onStderr(chunk.toString()));
    const ended = once(child, "close") as Promise<[number | null]>;
    const [stdout, stderr, [status]] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
    return { status, stdout, stderr };
  },
};

/** Replaces a page's ports by those of this system. */
function here(words: string): string {
  const offset = place.settings.ports.server - 3000;
  return words.replaceAll(
    /(127\.0\.0\.1:)(3[01]\d\d)\b/g,
    (_all, host: string, port: string) => `${host}${Number(port) + offset}`,
  );
}

/** Runs a block as a person and checks the exit codes. */
async function typeAsPrinted(
  page: string,
  name: string,
  options: { person?: string; statuses?: number[] } = {},
) {
  const { person = "ada", statuses } = options;
  const typed = await typeBlock(page, name, (line) => typeAs(person, here(line), { terminal }));
  const expected = statuses ?? typed.map(() => 0);
  expect(typed.map(({ status, stderr }) => `${status} ${status === 0 ? "" : stderr}`)).toEqual(
    expected.map((status) => expect.stringMatching(new RegExp(`^${status} `)) as unknown),
  );
  return typed;
}

describe("npm start", () => {
  it("starts everything and prints the next commands of docs/guides/first-run.md", async () => {
    const first = findBlock("README.md", "npm start").commands[0]?.split(/\s+#/, 1);
    const pages = [firstRun, "docs/tutorials/protect-an-mcp-server.md"];
    for (const commands of [first, ...pages.map((page) => findBlock(page, "npm start").commands)])
      expect(commands).toEqual(["npm start"]);
    const started = spawned("npm start", root, {});
    system = started;
    let stderr = "";
    started.stderr.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
    started.stdout.on("data", (chunk: Buffer) => (printed += chunk.toString()));
    await vi.waitUntil(
      () => {
        if (started.exitCode !== null) throw new Error(`It ended. ${printed}${stderr}`);
        return printed.includes("Ctrl-C stops everything.");
      },
      { timeout: 240_000, interval: 100 },
    );
    const next = printedBlocks([firstRun]).filter(({ commands: [command = ""] }) =>
      command.startsWith("npx @authz/cli "),
    );
    expect(next.map(({ commands }) => commands.length)).toEqual([3, 2]);
    for (const command of next.flatMap(({ commands }) => commands)) expect(printed).toContain(here(command));
    // Without a keyring, the printed command selects the file store.
    const store = process.platform === "linux" ? "AUTHZ_TOKEN_STORE=file " : "";
    expect(printed).toContain(`${store}npx @authz/cli login`);
  });
});

describe("docs/guides/first-run.md", () => {
  it("signs in as Ada, who calls a service", async () => {
    const [login, skills, request] = await typeAsPrinted(firstRun, "npx @authz/cli login");
    expect(login?.stderr).toContain("Signed in as Ada Lovelace");
    expect(skills?.stdout).toContain("contracts-koa.list-contracts");
    expect(JSON.parse(request?.stdout ?? "")).toHaveProperty("contracts.0.customer");
  });
});

describe("docs/guides/connections.md", () => {
  it("connects an account as printed", async () => {
    const [list, connect] = await typeAsPrinted(
      connections,
      "npx @authz/cli connections\nnpx @authz/cli connections connect notes",
    );
    expect(list?.stdout).toBe("notes\tnot connected\tyes\t\tNotes\n");
    const shown = codeBlocks(connections).find(({ code }) => code.startsWith("Connected to "));
    expect(connect?.stderr).toContain(here(shown?.code ?? "nothing"));
  });

  it("calls the third party: reads, writes, deletes", async () => {
    const [before, created] = await typeAsPrinted(
      connections,
      "npx @authz/cli request --connection notes http",
    );
    const { notes } = JSON.parse(before?.stdout ?? "") as { notes: { title: string }[] };
    expect(notes.map(({ title }) => title)).not.toContain("From my agent");
    expect(JSON.parse(created?.stdout ?? "")).toMatchObject({ id: "n4", title: "From my agent" });
    await typeAsPrinted(connections, "npx @authz/cli request --connection notes -X DELETE");
  });

  it("lists connections and shows one", async () => {
    const [list, one] = await typeAsPrinted(connections, "npx @authz/cli connections --agent");
    expect(list?.stdout).toContain("ada@home.example");
    expect(one?.stdout).toContain(here("127.0.0.1:3020"));
  });

  it("disconnects as printed", async () => {
    const [ended] = await typeAsPrinted(connections, "npx @authz/cli connections disconnect");
    const shown = codeBlocks(connections).find(({ code }) => code.includes("connections disconnect notes"));
    expect(shown?.code).toBe(
      `$ npx @authz/cli connections disconnect notes --yes\n${ended?.stdout}${ended?.stderr}`,
    );
  });
});

describe("docs/guides/first-run.md, continued", () => {
  it("calls a third party", async () => {
    const [connected, notes] = await typeAsPrinted(firstRun, "npx @authz/cli connections");
    expect(connected?.stderr).toContain('Connected to Notes as "ada@home.example"');
    expect(JSON.parse(notes?.stdout ?? "")).toHaveProperty("notes.0.title");
  });

  it("runs the demo as text and JSON", async () => {
    const [story, json] = await typeAsPrinted(firstRun, "npm run demo");
    expect(story?.stdout).not.toBe("");
    expect(findProblems(JSON.parse(json?.stdout ?? "") as DemoResult)).toEqual([]);
  });

  it("is refused as described", async () => {
    const [ada, clara] = [[0, 4, 0, 4], "clara"] as const;
    const [nobody, write, logout, login] = await typeAsPrinted(firstRun, "curl", {
      person: clara,
      statuses: [...ada],
    });
    expect(nobody?.stdout).toMatch(/^HTTP\/1\.1 401 /);
    expect(write?.stderr).toContain("contracts:write");
    expect(logout?.stderr).not.toBe("");
    expect(login?.stderr).toContain("administrator");
  });
});

describe.each(["contracts-express", "contracts-fastify", "contracts-koa", "mcp-server", "node-http"])(
  "examples/%s/README.md",
  (name) => {
    let service: ChildProcess | undefined;
    afterAll(() => end(service));

    it("starts the example for the named issuer", async () => {
      await runTool("tsc", ["-b", `examples/${name}`]);
      const port = await findFreePort();
      await typeBlock(`examples/${name}/README.md`, "AUTHZ_ISSUER=", async (line) => {
        const typed = line.replace("https://authz.example.com", here("http://127.0.0.1:3000"));
        service = spawned(typed, join(root, "examples", name), { PORT: String(port) });
      });
      const path = name === "mcp-server" ? "mcp" : "api/contracts";
      const answer = await vi.waitUntil(
        () => {
          if (service?.exitCode !== null) throw new Error("It ended.");
          return fetch(`http://127.0.0.1:${port}/${path}`).catch(() => undefined);
        },
        { timeout: 60_000, interval: 100 },
      );
      expect(answer.status).toBe(401);
    });
  },
);
