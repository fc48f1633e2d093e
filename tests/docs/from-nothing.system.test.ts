/** Runs the commands of READMEs and tutorials as printed, from an empty folder to a 200, with our packages in a registry. */
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { isPortFree } from "../../tools/src/network/ports.js";
import { registryProblem } from "../packaging/registry.js";
import { EmptyComputer } from "./empty-computer.js";
import { computers, testCommand, testContracts } from "./from-nothing/command.js";
import { serviceReadmes, testServiceAnswers, testServiceStarts } from "./from-nothing/readmes.js";
import { testMcpTutorial, testTutorials } from "./from-nothing/tutorials.js";
import { findPorts, hangUp, startSystem, World } from "./from-nothing/world.js";
import { findBlock, typeBlock } from "./printed-blocks.js";

let problem: string | undefined;
let world: World;

beforeAll(async () => {
  problem = await registryProblem();
  if (problem === undefined) world = await World.create();
});
beforeEach(({ skip }) => {
  skip(problem !== undefined, problem);
});
afterAll(async () => {
  if (problem === undefined) await world.close();
});

// Node 20 is the oldest supported version; npm refuses dependencies that need a newer one.
it.runIf(process.versions.node.startsWith("20."))("installs with --engine-strict", async () => {
  const folder = world.computer.folder("strict");
  const names = ["authz-server", "@authz/cli", "@authz/dev"].join(" ");
  const line = `npm install --engine-strict --package-lock-only ${names}`;
  expect(await world.computer.tryToType(line, folder)).toMatchObject({ status: 0 });
});

describe("npx @authz/dev", () => {
  it("starts the system in an empty folder and prints the next step", async () => {
    const pages = ["docs/tutorials/protect-an-api.md", "packages/dev/README.md"].concat(
      serviceReadmes.map((name) => `packages/${name}/README.md`),
    );
    const lines = pages.flatMap((page) => findBlock(page, "npx @authz/dev").commands);
    const [line = ""] = lines;
    expect(new Set(lines)).toEqual(new Set([line]));
    const printed = await world.startSystem(line);
    expect(printed).toContain("Everything runs.");
    expect(printed).toContain(`Open ${world.issuer}/admin`);
    const { home } = world.computer;
    expect(stateFolders(home)).toHaveLength(1);
    const answer = await fetch(`${world.issuer}/admin`, { redirect: "manual" });
    expect(answer.headers.get("location")).toBe("/sign-in?return_to=%2Fadmin");
    const fetched = readdirSync(join(home, ".npm/_npx")).map((name) =>
      join(home, ".npm/_npx", name, "node_modules/authz-server/web/dist/index.html"),
    );
    expect(fetched.some((path) => existsSync(path))).toBe(true);
  });

  it("reports a taken port with a command that works", async () => {
    const { server, idp } = world.ports;
    const { status, stderr } = await world.computer.tryToType(
      `npx @authz/dev --folder other --port ${server} --idp-port ${idp}`,
    );
    expect(status).toBe(1);
    expect(stderr).toContain(`Port ${server} on 127.0.0.1 is taken; the authorization server needs it.`);
    expect(stderr).toContain(`npx @authz/dev --port ${server + 1}`);
  });
});

// The tutorials expect that only Ada has a permission.
runConcurrently({
  "the tutorials"() {
    testTutorials(() => world);
    testMcpTutorial(() => world);
  },
  "services, and another system"() {
    testServiceStarts(
      () => world,
      serviceReadmes.filter((name) => name !== "next"),
    );
    testSecondSystem();
  },
  "an app of Next.js"() {
    testServiceStarts(() => world, ["next"]);
  },
});

testContracts(() => world);

runConcurrently({
  "services that are registered": () => testServiceAnswers(() => world),
  ...Object.fromEntries(
    computers.map((computer) => [
      `the authz command on a computer ${computer.name}`,
      () => testCommand(() => world, computer),
    ]),
  ),
});

it("ends all its processes when the terminal closes", async () => {
  await hangUp(world.system);
  // npx ends at once; its children shut down after it.
  const [folder = ""] = stateFolders(world.computer.home);
  await untilFree(Object.values(world.ports));
  await vi.waitUntil(() => !existsSync(join(folder, "running.json")), { timeout: 30_000 });
  expect(existsSync(join(folder, "postgres/postmaster.pid"))).toBe(false);
});

/** State folders of the systems on a computer. */
function stateFolders(home: string): readonly string[] {
  const folder = join(
    home,
    process.platform === "darwin" ? "Library/Application Support" : ".local/state",
    "authz-dev",
  );
  return readdirSync(folder).map((name) => join(folder, name));
}

async function untilFree(ports: readonly number[]): Promise<void> {
  await vi.waitUntil(async () => (await Promise.all(ports.map(isPortFree))).every(Boolean), {
    timeout: 30_000,
    interval: 100,
  });
}

/** Runs independent groups of tests concurrently, each group in sequence. Tests between two calls wait for the first. */
function runConcurrently(groups: Readonly<Record<string, () => void>>): void {
  describe.concurrent.each(Object.entries(groups))("%s", (_name, declareTests) => {
    describe.sequential("in sequence", () => {
      declareTests();
    });
  });
}

function testSecondSystem(): void {
  it("starts a second system as root", async () => {
    const computer = new EmptyComputer(world.registry.url, {});
    try {
      const ports = await findPorts();
      await typeBlock("packages/dev/README.md", "npx @authz/dev --port", async (line) => {
        const typed = line
          .replace("3001", String(ports.server))
          .replace("3011", String(ports.idp))
          .replace("54317", String(ports.postgres));
        const { child, printed } = await startSystem(computer, typed);
        expect(printed).toContain(`Open http://127.0.0.1:${ports.server}/admin`);
        expect(existsSync(join(stateFolders(computer.home)[0] ?? "", "postgres"))).toBe(true);
        await hangUp(child);
        await untilFree(Object.values(ports));
      });
    } finally {
      computer.remove();
    }
  });
}
