import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findRoute, type Skill } from "@authz/verify";
import { describe, expect, test } from "vitest";
import { createWorld, type World } from "../support/world.js";

const listContracts: Skill = {
  id: "list-contracts",
  title: "List contracts",
  description: 'Lists contracts: "all" of them.',
  requiredScopes: ["contracts:read"],
  visibility: "DEFAULT",
  content: "Run `authz request`.",
};
const signContract: Skill = {
  id: "sign-contract",
  title: "Sign a contract",
  requiredScopes: ["contracts:sign"],
  visibility: "HIDDEN_IF_UNALLOWED",
  content: "Secret.",
};
const skills = [listContracts, signContract];

const index = "/.well-known/agent-skills/index.json";
const file = "/.well-known/agent-skills/list-contracts/SKILL.md";

describe.each([
  { name: "skills that are known at start", source: { items: skills } },
  { name: "skills that are loaded", source: { load: () => Promise.resolve(skills) } },
])("the Agent Skills index of $name", ({ source }) => {
  const options = { skills: { ...source, agentSkillsIndex: true } };

  test("lists the public skills, with digests of the served files", async () => {
    const world = createWorld(options);
    const { body } = await world.get(file);
    expect(JSON.parse((await world.get(index)).body)).toEqual({
      $schema: "https://schemas.agentskills.io/discovery/0.2.0/schema.json",
      skills: [
        {
          name: "list-contracts",
          type: "skill-md",
          description: 'Lists contracts: "all" of them.',
          url: file,
          digest: `sha256:${createHash("sha256").update(body).digest("hex")}`,
        },
      ],
    });
  });

  test("never mentions a hidden skill", async () => {
    const world = createWorld(options);
    for (const path of [index, file]) {
      expect((await world.get(path)).body).not.toMatch(/sign-contract|Secret/);
    }
  });

  test.each([
    "/.well-known/agent-skills/sign-contract/SKILL.md",
    "/.well-known/agent-skills/nothing/SKILL.md",
    "/.well-known/agent-skills/list%2Dcontracts/SKILL.md",
    "/.well-known/agent-skills/__proto__/SKILL.md",
  ])("has nothing at %s", async (path) => {
    const answer = await createWorld(options).get(path);
    expect([answer.status, answer.headers["cache-control"]]).toEqual([404, "no-store"]);
    expect(JSON.parse(answer.body)).toMatchObject({ error: "not_found" });
  });

  test.each([
    "/.well-known/agent-skills//SKILL.md",
    "/.well-known/agent-skills/list/contracts/SKILL.md",
    "/.well-known/agent-skills/list-contracts",
    "/.well-known/agent-skills/list-contracts/SKILL.md/",
  ])("leaves %s to the application", (path) => {
    expect(findRoute(createWorld(options).authz.routes, { method: "GET", url: path })).toBeUndefined();
  });
});

describe("a skill with files", () => {
  const long = `${"a".repeat(99)}/${"b".repeat(49)}`;
  const files = [
    { path: "references/errors.md", content: "é\n" },
    { path: long, content: new Uint8Array(512).fill(0xff) },
  ];
  const world = createWorld({ skills: { items: [{ ...listContracts, files }], agentSkillsIndex: true } });
  const archive = "/.well-known/agent-skills/list-contracts/skill.tar.gz";

  test("is an archive in the index, of nothing executable", async () => {
    const { body, headers } = await world.get(archive);
    expect(headers["content-type"]).toBe("application/gzip");
    const bytes = Buffer.from(body, "latin1");
    expect(JSON.parse((await world.get(index)).body)).toMatchObject({
      skills: [
        {
          type: "archive",
          url: archive,
          digest: `sha256:${createHash("sha256").update(bytes).digest("hex")}`,
        },
      ],
    });
    const folder = await mkdtemp(join(tmpdir(), "archive-"));
    try {
      await writeFile(join(folder, "skill.tar.gz"), bytes);
      execFileSync("tar", ["-xzf", "skill.tar.gz"], { cwd: folder });
      expect(await readFile(join(folder, "SKILL.md"), "utf8")).toBe((await world.get(file)).body);
      expect(await readFile(join(folder, "references/errors.md"), "utf8")).toBe("é\n");
      expect(await readFile(join(folder, long))).toEqual(Buffer.alloc(512, 0xff));
      expect((await stat(join(folder, long))).mode & 0o111).toBe(0);
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  test("stays out when it is hidden", async () => {
    const hidden = createWorld({ skills: { items: [{ ...signContract, files }], agentSkillsIndex: true } });
    expect((await hidden.get(archive.replace("list-contracts", "sign-contract"))).status).toBe(404);
  });
});

describe("loaded skills", () => {
  function counted(load: () => readonly Skill[]): { world: World; calls: () => number } {
    let calls = 0;
    const world = createWorld({
      skills: {
        agentSkillsIndex: true,
        load() {
          calls++;
          return load();
        },
      },
    });
    return { world, calls: () => calls };
  }

  test("are loaded once per 30 seconds for the index, however many ask", async () => {
    let current = [listContracts];
    const { world, calls } = counted(() => current);
    await Promise.all(Array.from({ length: 50 }, () => world.get(index)));
    current = [];
    world.clock.advance(29);
    expect((await world.get(file)).status).toBe(200);
    expect(calls()).toBe(1);
    world.clock.advance(1);
    expect((await world.get(file)).status).toBe(404);
    expect(calls()).toBe(2);
  });

  test("that cannot be loaded are the application's error, and are tried again", async () => {
    let broken = true;
    const { world } = counted(() => {
      if (broken) throw new RangeError("The table is gone.");
      return skills;
    });
    await expect(world.get(index)).rejects.toThrow(RangeError);
    broken = false;
    expect((await world.get(index)).status).toBe(200);
  });

  test("with a name that the index cannot have are refused as a whole", async () => {
    const { world } = counted(() => [listContracts, { ...listContracts, id: "a--b" }]);
    await expect(world.get(index)).rejects.toMatchObject({ name: "SkillError", path: "[1].id" });
  });
});
