import { readFileSync } from "node:fs";
import { join } from "node:path";
import { hasSecretService, type SecretService, startSecretService } from "authz-tools/secret-service";
import { afterAll, beforeEach, expect, it } from "vitest";
import { EmptyComputer, withoutRights } from "../empty-computer.js";
import { typeBlock } from "../printed-blocks.js";
import { type Typed, typeAs } from "../terminal.js";
import { serviceWithSkills } from "./tutorials.js";
import { findOrigin, type World } from "./world.js";

const publishSkills = "docs/guides/publish-skills.md";
const reference = "docs/reference/cli.md";

/** Computers with the installed command: the test user's with a keyring, an unprivileged user's without one. */
export const computers = [
  { name: "with a keyring", as: {}, store: "keyring" },
  { name: "without a keyring", as: withoutRights, store: "file" },
] as const;

type Computer = (typeof computers)[number];

/** Starts and registers the service that stands in for the example of the command's pages. */
export function testContracts(world: () => World): void {
  it("a service with a skill is registered as Contracts", async () => {
    const origin = await findOrigin();
    const { computer, services } = world();
    // The README of @authz/express has already installed its packages in this folder.
    const folder = join(computer.home, "express");
    computer.save(join(folder, "contracts.mjs"), world().here(serviceWithSkills(publishSkills), origin));
    const process = await world().serve("node contracts.mjs", folder, origin);
    services.set(publishSkills, { origin, process });
    const registered = await computer.type(`npx @authz/dev register ${origin} --name Contracts`);
    expect(registered).toContain("Contracts is registered.");
  });
}

/** Runs the commands of the pages about `authz` on one of the computers, against the service Contracts. */
export function testCommand(world: () => World, { as, store }: Computer): void {
  const lacksKeyring = store === "keyring" && !hasSecretService;
  let computer: EmptyComputer;
  let keyring: SecretService | undefined;
  beforeEach(({ skip }) => {
    skip(lacksKeyring, "There is no dbus-daemon or no gnome-keyring-daemon.");
  });
  afterAll(async () => {
    await keyring?.stop();
    computer?.remove();
  });

  it("runs with npx, and doctor reports whether a keyring works", async () => {
    computer = new EmptyComputer(world().registry.url, as);
    const works = async () =>
      (await computer.tryToType("npx @authz/cli doctor")).stdout.includes("The keyring works.");
    expect(await works()).toBe(false);
    if (store === "file") return;
    keyring = await startSecretService(computer.home, (variables) => {
      computer.set(variables);
      return works();
    });
  });

  it("refuses to sign in without a keyring, and prints the command for a file", async ({ skip }) => {
    skip(store === "keyring", "There is a keyring.");
    const refused = await computer.tryToType(`npx @authz/cli login --issuer ${world().issuer}`);
    expect(refused).toMatchObject({ status: 1, stdout: "" });
    expect(refused.stderr).toContain(
      `AUTHZ_TOKEN_STORE=file npx @authz/cli login --issuer ${world().issuer}`,
    );
  });

  it.each(["install.md", "packages/cli/README.md", reference])(
    "installs and signs in as printed in %s",
    async (page) => {
      const [, login, ...others] = await typeAsAda(page, "npm install --global");
      expect(login?.stderr).toContain("Signed in as Ada Lovelace");
      expect(JSON.parse(await computer.type("authz status --json"))).toMatchObject({
        store,
        signedIn: true,
      });
      // The last line of one page lists the agent hosts; those of the others make a request.
      const answer = page === "install.md" ? /^claude-code\b/m : /"contracts":\s*\[\s*"C-1001"/;
      expect(others.at(-1)?.stdout).toMatch(answer);
    },
  );

  it("finds, reads and copies skills", async () => {
    const [found, skill, file] = await typeAsAda(publishSkills, "authz skills find");
    expect(found?.stdout).toContain("contracts.list");
    expect(skill?.stdout).toContain("with the scope contracts:read.");
    expect(file?.stdout).toContain("409: somebody else has just changed it.");
    const copied = readFileSync(join(computer.home, "skills/contracts-list/references/errors.md"), "utf8");
    expect(copied).toContain("409: somebody else has just changed it.");
  });

  it("prints and writes the set-up of agent hosts", async () => {
    const [claude, , codex] = await typeAsAda(reference, "authz setup");
    expect(claude?.stdout).toContain(`${world().issuer}/mcp`);
    expect(codex?.stdout).toContain("authz");
    expect(readFileSync(join(computer.home, ".cursor/mcp.json"), "utf8")).toContain(`${world().issuer}/mcp`);
  });

  it("keeps the session in a file with AUTHZ_TOKEN_STORE=file", async () => {
    await typeAsAda(reference, "AUTHZ_TOKEN_STORE=file authz login");
    expect(JSON.parse(await computer.type("authz status --json"))).toMatchObject({ store: "file" });
  });

  /** Types a block as Ada; every line succeeds. */
  async function typeAsAda(page: string, name: string): Promise<readonly Typed[]> {
    return await typeBlock(page, name, async (line) => {
      const here = line
        .replace("https://authz.example.com", world().issuer)
        .replace("https://contracts.example.com", world().serviceOf(publishSkills).origin);
      const typed = await typeAs("ada", here, { terminal: computer });
      expect({ line, ...typed }).toMatchObject({ status: 0 });
      return typed;
    });
  }
}
