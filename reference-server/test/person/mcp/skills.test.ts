import { createHash } from "node:crypto";
import { ListSkillsResultSchema } from "@modelcontextprotocol/core/ext/skills";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type OauthServer, startOauthServer } from "../../support/oauth-server.js";
import { catalogSkill, pictureEntry, publishSkills, text, textEntry } from "../../support/skill-catalog.js";
import { type Agent, allow, signInAgent } from "./agent.js";

const digestOf = (bytes: string | Uint8Array): string =>
  `sha256:${createHash("sha256").update(bytes).digest("hex")}`;

const files = [textEntry, pictureEntry];

let system: OauthServer;
let agent: Agent;
beforeAll(async () => {
  system = await startOauthServer();
  const hidden = { visibility: "HIDDEN_IF_UNALLOWED", files } as const;
  await publishSkills(system, [
    catalogSkill("list", "contracts:read", hidden),
    catalogSkill("change", "contracts:write", { files }),
    catalogSkill("archive", "contracts:write", hidden),
  ]);
  agent = await signInAgent(system);
});
afterAll(() => system.close());

async function ask(
  method: string,
  params: object = {},
): Promise<{ result?: object; error?: { code: number } }> {
  const { body } = await agent.send({ jsonrpc: "2.0", id: 1, method, params });
  return body;
}

async function read(uri: string): Promise<Buffer | number> {
  const { result, error } = await ask("resources/read", { uri });
  if (error !== undefined) return error.code;
  const [contents] = (result as { contents: { text?: string; blob?: string }[] }).contents;
  return contents?.text === undefined
    ? Buffer.from(contents?.blob ?? "", "base64")
    : Buffer.from(contents.text);
}

const uriOf = (id: string, path: string): string => `skill://contracts.${id}/contracts-${id}/${path}`;

describe("skills at the address for agents", () => {
  test("are those that the person may use, each file with the digest of what is served", async () => {
    const { skills } = ListSkillsResultSchema.parse((await ask("skills/list")).result);
    expect(skills.map(({ uri }) => uri)).toEqual([uriOf("list", "SKILL.md")]);
    const resources = skills[0]?.resources;
    if (resources === undefined || resources === "dynamic") throw new Error("There are no digests.");
    expect(resources.map(({ uri }) => uri)).toEqual([
      uriOf("list", "SKILL.md"),
      uriOf("list", textEntry.path),
      uriOf("list", pictureEntry.path),
    ]);
    for (const { uri, digest, size } of resources) {
      const bytes = Buffer.from((await read(uri)) as Buffer);
      expect([uri, digestOf(bytes), bytes.length]).toEqual([uri, digest, size]);
    }
    const shown = await agent.call("read_skill", { id: "contracts.list", file: textEntry.path });
    expect(shown.text).toMatch(
      /^--- ([\da-f]{16}): what "contracts" published .* ---\n# Errors é\n--- \1: end ---/,
    );
  });

  test("and their files are hidden without the permissions that they require, as if they did not exist", async () => {
    const hidden = await ask("resources/read", { uri: uriOf("archive", textEntry.path) });
    const absent = await ask("resources/read", { uri: uriOf("nothing", textEntry.path) });
    const rename = (answer: object): string => JSON.stringify(answer).replaceAll("archive", "nothing");
    expect(rename(hidden)).toBe(rename(absent));
    expect(await read(uriOf("archive", "SKILL.md"))).toBe(-32_602);
    expect((await ask("skills/get", { uri: uriOf("archive", "SKILL.md") })).error?.code).toBe(-32_602);
    const told = await agent.call("read_skill", { id: "contracts.archive", file: textEntry.path });
    expect([told.isError, told.text.startsWith("not_found:")]).toEqual([true, true]);
    // Visible, and to be used by others.
    expect((await ask("skills/get", { uri: uriOf("change", "SKILL.md") })).error).toBeUndefined();
    expect(await read(uriOf("change", textEntry.path))).toEqual(Buffer.from(text));
  });

  test.each([
    uriOf("list", "../contracts-archive/SKILL.md"),
    uriOf("list", "references%2Ferrors.md"),
    uriOf("list", `${textEntry.path}%00`),
    `${uriOf("list", textEntry.path)}\0`,
    "skill://contracts.list/contracts-archive/SKILL.md",
    "skill://authz/authz/SKILL.md",
    `skill://${"a".repeat(5000)}.b/c/SKILL.md`,
  ])("have nothing at %s", async (uri) => {
    expect(await read(uri)).toBe(-32_602);
  });

  test("appear with the permission, at the next request", async () => {
    await allow(system, "ada", "contracts:write");
    const { skills } = ListSkillsResultSchema.parse((await ask("skills/list")).result);
    expect(skills.map(({ uri }) => uri)).toEqual(
      ["archive", "change", "list"].map((id) => uriOf(id, "SKILL.md")),
    );
    expect(await read(uriOf("archive", textEntry.path))).toEqual(Buffer.from(text));
  });
});
