import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { array, assert, property, stringMatching, tuple } from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { skillName } from "@authz/agent-tools";
import { type CliWorld, type CommandResult, startCliWorld } from "../../support/cli-world.js";

const allowedName = /^(?=.{1,64}$)[a-z0-9]+(?:-[a-z0-9]+)*$/;

describe("the name of a pulled skill", () => {
  it.each([
    ["contracts.list", "contracts-list"],
    ["contracts.list-all", "contracts-list-all"],
    [`contracts.${"a".repeat(54)}`, `contracts-${"a".repeat(54)}`],
  ])("is as one would guess for %s", (id, name) => {
    expect(skillName(id)).toBe(name);
  });

  it.each([
    "contracts-list.all",
    "contracts.list--all",
    "contracts.list-",
    "contracts-.list",
    "contracts.list-0123456789ab",
    `contracts.${"a".repeat(55)}`,
    `contracts.${"a".repeat(100)}`,
    `a-${"-".repeat(90)}.x`,
  ])("is allowed, with a part of its hash, for %s", (id) => {
    expect(skillName(id)).toMatch(allowedName);
    expect(skillName(id)).toMatch(/-[\da-f]{12}$/);
  });

  it("is one that no other id has, whatever else is published", () => {
    const part = stringMatching(/^[a-c0][a-c0-]{0,6}$/);
    const id = tuple(part, part).map(([publisher, skill]) => `${publisher}.${skill}`);
    // What somebody would publish to be taken for another skill.
    const imitation = id.map((copied) => `c.${skillName(copied).slice(0, 90)}`);
    assert(
      property(array(id), array(imitation), (ids, imitations) => {
        const distinct = [...new Set([...ids, ...imitations])];
        const names = distinct.map(skillName);
        expect(new Set(names).size).toBe(distinct.length);
        for (const name of names) expect(name).toMatch(allowedName);
      }),
    );
  });
});

describe("authz skills pull", () => {
  let world: CliWorld;
  let directory: string;
  beforeEach(async () => {
    world = await startCliWorld();
    await world.login();
    directory = join(world.home, "skills");
    publish("contracts.list", "contracts.sign");
  });
  afterEach(async () => await world.close());

  function publish(...ids: string[]): void {
    world.server.skills.length = 0;
    for (const id of ids)
      world.server.skills.push({
        id,
        title: id,
        tags: [],
        requiredScopes: ["contracts:read"],
        allowed: true,
        resource: id.split(".")[0] ?? "",
        content: `# ${id}`,
      });
  }
  const pull = async (...more: string[]): Promise<CommandResult> =>
    await world.run(["skills", "pull", "--directory", directory, ...more]);
  const textOf = (name: string): string => readFileSync(join(directory, name, "SKILL.md"), "utf8");

  it("writes two services' skills beside each other, however they are called", async () => {
    publish("contracts.list-all", "contracts-list.all");
    expect((await pull()).code).toBe(0);
    const texts = readdirSync(directory).map(textOf);
    expect(new Set(texts.map((text) => /^# (.*)$/m.exec(text)?.[1]))).toEqual(
      new Set(["contracts-list.all", "contracts.list-all"]),
    );
    for (const name of readdirSync(directory)) expect(textOf(name)).toContain(`\nname: ${name}\n`);
  });

  it("removes what is gone or no longer allowed, and nothing that it did not write", async () => {
    await pull();
    mkdirSync(join(directory, "mine"));
    writeFileSync(join(directory, "mine", "SKILL.md"), "---\nname: mine\ndescription: x\n---\n");
    writeFileSync(join(directory, "contracts-sign", "notes.txt"), "mine, too");
    mkdirSync(join(directory, "elsewhere"));
    const other = textOf("contracts-list").replace(world.server.origin, "https://other.example");
    writeFileSync(join(directory, "elsewhere", "SKILL.md"), other);
    publish("contracts.list");
    const result = await pull();
    expect(result.stderr).toBe("Removed contracts.sign: it is gone, or you may no longer run it.\n");
    expect(readdirSync(directory).sort()).toEqual(["contracts-list", "contracts-sign", "elsewhere", "mine"]);
    expect(readdirSync(join(directory, "contracts-sign"))).toEqual(["notes.txt"]);
    publish();
    const none = await pull("--json");
    expect(JSON.parse(none.stdout)).toEqual({
      items: [],
      removed: [{ id: "contracts.list", file: join(directory, "contracts-list", "SKILL.md") }],
      incomplete: [],
    });
    expect(existsSync(join(directory, "contracts-list"))).toBe(false);
  });

  it("keeps the others when only some are named", async () => {
    await pull();
    publish("contracts.sign");
    expect((await pull("contracts.sign")).code).toBe(0);
    expect(readdirSync(directory).sort()).toEqual(["contracts-list", "contracts-sign"]);
  });

  const planted: { name: string; plant: (target: string) => void; why: string }[] = [
    {
      name: "a folder that is a link",
      plant: (target) => symlinkSync(target, join(directory, "contracts-list")),
      why: "is a link",
    },
    {
      name: "a file that is a link",
      plant: (target) => {
        mkdirSync(join(directory, "contracts-list"));
        symlinkSync(join(target, "precious"), join(directory, "contracts-list", "SKILL.md"));
      },
      why: "is a link",
    },
    {
      name: "a file that somebody wrote",
      plant: () => {
        mkdirSync(join(directory, "contracts-list"));
        writeFileSync(join(directory, "contracts-list", "SKILL.md"), "---\nname: contracts-list\n---\n");
      },
      why: "There is something else with this name",
    },
    {
      name: "a skill of another server",
      plant: () => {
        mkdirSync(join(directory, "contracts-list"));
        const front = '---\nmetadata:\n  id: "contracts.list"\n  source: "https://other.example"\n---\n';
        writeFileSync(join(directory, "contracts-list", "SKILL.md"), front);
      },
      why: "There is something else with this name",
    },
  ];
  it.each(planted)("leaves alone $name", async ({ plant, why }) => {
    const target = join(world.home, "target");
    mkdirSync(target);
    mkdirSync(directory);
    writeFileSync(join(target, "precious"), "precious");
    plant(target);
    const before = existsSync(join(directory, "contracts-list", "SKILL.md")) ? textOf("contracts-list") : "";
    const result = await pull("contracts.list");
    expect([result.code, result.stderr]).toEqual([1, expect.stringContaining(why)]);
    expect([readdirSync(target), readFileSync(join(target, "precious"), "utf8")]).toEqual([
      ["precious"],
      "precious",
    ]);
    expect(existsSync(join(directory, "contracts-list", "SKILL.md")) ? textOf("contracts-list") : "").toBe(
      before,
    );
  });

  it("takes a link that is named, and none that is not", async () => {
    const target = join(world.home, "target");
    mkdirSync(target);
    symlinkSync(target, directory);
    expect((await pull("contracts.list")).code).toBe(0);
    expect(readdirSync(target)).toEqual(["contracts-list"]);
    const before = process.cwd();
    process.chdir(world.home);
    try {
      const unnamed = await world.run(["skills", "pull"]);
      expect([unnamed.code, unnamed.stderr]).toEqual([1, expect.stringContaining("skills is a link")]);
    } finally {
      process.chdir(before);
    }
  });

  it("removes nothing through a link, and replaces its own files in one step", async () => {
    await pull();
    const outside = join(world.home, "outside");
    mkdirSync(outside);
    writeFileSync(join(outside, "SKILL.md"), textOf("contracts-sign"));
    symlinkSync(outside, join(directory, "linked"));
    const before = lstatSync(join(directory, "contracts-list", "SKILL.md")).ino;
    expect((await pull()).code).toBe(0);
    expect(existsSync(join(outside, "SKILL.md"))).toBe(true);
    expect(lstatSync(join(directory, "contracts-list", "SKILL.md")).ino).not.toBe(before);
    expect(readdirSync(join(directory, "contracts-list"))).toEqual(["SKILL.md"]);
  });
});
