import { createHash } from "node:crypto";
import { ListSkillsResultSchema } from "@modelcontextprotocol/core/ext/skills";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type OauthServer, startOauthServer } from "../../support/oauth-server.js";
import { type Agent, allow, signInAgent } from "./agent.js";

const digestOf = (bytes: string | Uint8Array): string =>
  `sha256:${createHash("sha256").update(bytes).digest("hex")}`;

const text = "# Errors é\n";
const picture = Uint8Array.of(0x89, 0, 0xff);
const entry = { path: "references/errors.md", size: 12, digest: digestOf(text) };
const bytesEntry = { path: "assets/logo.png", size: 3, digest: digestOf(picture) };

const skill = (id: string, scope: string, visibility: "DEFAULT" | "HIDDEN_IF_UNALLOWED") => ({
  id,
  title: `Title of ${id}`,
  requiredScopes: [scope],
  visibility,
  content: `# ${id}`,
  files: [entry, bytesEntry],
});

let system: OauthServer;
let agent: Agent;
beforeAll(async () => {
  system = await startOauthServer();
  const { store } = system.server.context;
  const at = new Date();
  await store.resources.save({ ...system.resource, skillDiscovery: true }, at);
  await store.skillCatalogs.saveSuccess({
    resourceId: system.resource.id,
    items: [
      skill("list", "contracts:read", "HIDDEN_IF_UNALLOWED"),
      skill("change", "contracts:write", "DEFAULT"),
      skill("archive", "contracts:write", "HIDDEN_IF_UNALLOWED"),
    ],
    files: new Map([
      [entry.digest, Buffer.from(text)],
      [bytesEntry.digest, Buffer.from(picture)],
    ]),
    at,
    refreshAt: new Date(at.getTime() + 3_600_000),
  });
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
      uriOf("list", entry.path),
      uriOf("list", bytesEntry.path),
    ]);
    for (const { uri, digest, size } of resources) {
      // oxlint-disable-next-line no-await-in-loop -- three of them
      const bytes = Buffer.from((await read(uri)) as Buffer);
      expect([uri, digestOf(bytes), bytes.length]).toEqual([uri, digest, size]);
    }
    const shown = await agent.call("read_skill", { id: "contracts.list", file: entry.path });
    expect(shown.text).toMatch(
      /^--- ([\da-f]{16}): what "contracts" published .* ---\n# Errors é\n--- \1: end ---/,
    );
  });

  test("and their files stay hidden from whoever lacks what they ask for, as if they were not there", async () => {
    const hidden = await ask("resources/read", { uri: uriOf("archive", entry.path) });
    const absent = await ask("resources/read", { uri: uriOf("nothing", entry.path) });
    const rename = (answer: object): string => JSON.stringify(answer).replaceAll("archive", "nothing");
    expect(rename(hidden)).toBe(rename(absent));
    expect(await read(uriOf("archive", "SKILL.md"))).toBe(-32_602);
    expect((await ask("skills/get", { uri: uriOf("archive", "SKILL.md") })).error?.code).toBe(-32_602);
    const told = await agent.call("read_skill", { id: "contracts.archive", file: entry.path });
    expect([told.isError, told.text.startsWith("not_found:")]).toEqual([true, true]);
    // Visible, and to be used by others.
    expect((await ask("skills/get", { uri: uriOf("change", "SKILL.md") })).error).toBeUndefined();
    expect(await read(uriOf("change", entry.path))).toEqual(Buffer.from(text));
  });

  test.each([
    uriOf("list", "../contracts-archive/SKILL.md"),
    uriOf("list", "references%2Ferrors.md"),
    uriOf("list", `${entry.path}%00`),
    `${uriOf("list", entry.path)}\0`,
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
    expect(await read(uriOf("archive", entry.path))).toEqual(Buffer.from(text));
  });
});
