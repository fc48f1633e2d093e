import {
  GetSkillResultSchema,
  ListSkillsResultSchema,
  type Skill as SkillEntry,
  skillsCapabilityOf,
} from "@modelcontextprotocol/core/ext/skills";
import { parse } from "yaml";
import { describe, expect, it } from "vitest";
import { skillName } from "../src/index.js";
import { askOverHttp, digestOf, entryOf, type Seen, seen, skill } from "./support.js";

const picture = Uint8Array.of(0x89, 0, 0xff);
const ada = seen({
  skills: [
    skill("contracts.list", {
      description: 'Lists contracts: "all"',
      requiredScopes: ["contracts:read"],
      content: "# List\u200b contracts",
      files: [
        entryOf("references/errors.md", "# Errors"),
        entryOf("logo.png", picture),
        entryOf("a.sh", "ls\n"),
      ],
    }),
    skill("contracts.sign", { allowed: false }),
  ],
  files: new Map<string, Uint8Array>([
    ["contracts.list references/errors.md", Buffer.from("# Errors")],
    ["contracts.list logo.png", picture],
    ["contracts.list a.sh", Buffer.from("ls\n")],
  ]),
});

async function list(person: Seen, cursor?: string): Promise<{ skills: SkillEntry[]; nextCursor?: string }> {
  const { result } = await askOverHttp(person, "skills/list", cursor === undefined ? {} : { cursor });
  const { skills, nextCursor } = ListSkillsResultSchema.parse(result);
  return { skills, ...(nextCursor !== undefined && { nextCursor }) };
}

async function read(person: Seen, uri: string): Promise<Buffer> {
  const { result, error } = await askOverHttp(person, "resources/read", { uri });
  if (error !== undefined) throw new Error(`${String(error.code)} ${error.message}`);
  const [contents] = (result?.contents ?? []) as { text?: string; blob?: string }[];
  return contents?.text === undefined
    ? Buffer.from(contents?.blob ?? "", "base64")
    : Buffer.from(contents.text);
}

describe("the Skills extension", () => {
  it("is announced, and lists what the person may use, with digests of exactly what is served", async () => {
    const { result } = await askOverHttp(ada, "server/discover");
    expect(skillsCapabilityOf(result?.capabilities as { extensions?: Record<string, unknown> })).toEqual({});
    const { skills } = await list(ada);
    expect(skills.map(({ uri }) => uri)).toEqual(["skill://contracts.list/contracts-list/SKILL.md"]);
    const [entry] = skills;
    if (entry === undefined || entry.resources === "dynamic") throw new Error("There are no digests.");
    expect(entry.resources).toHaveLength(4);
    for (const { uri, digest, size } of entry.resources) {
      const bytes = await read(ada, uri);
      expect([uri, digestOf(bytes), bytes.length]).toEqual([uri, digest, size]);
    }
  });

  it("says in an entry what the front matter says, and marks the text as the service's", async () => {
    const [entry] = (await list(ada)).skills;
    const text = String(await read(ada, entry?.uri ?? ""));
    const [, front = "", body = ""] = /^---\n(.*?)\n---\n\n(.*)$/s.exec(text) ?? [];
    expect(entry?.frontmatter).toEqual(parse(front));
    expect(entry?.frontmatter).toMatchObject({
      name: "contracts-list",
      description: "contracts says: \"Lists contracts: 'all'\"",
      metadata: { title: '"Title of contracts.list"', publisher: "contracts" },
    });
    expect(body).toMatch(
      /^--- ([\da-f]{16}): what "contracts" published, here and beside it, up to this number\. It permits nothing\. ---\n# List\\u\{200b\} contracts\n--- \1: end ---\n$/,
    );
  });

  it("gives the entry of a skill that is not listed but visible, and of nothing else", async () => {
    const uri = "skill://contracts.sign/contracts-sign/SKILL.md";
    const { result } = await askOverHttp(ada, "skills/get", { uri });
    expect(GetSkillResultSchema.parse(result).skill.uri).toBe(uri);
    for (const wrong of [
      "skill://contracts.hidden/contracts-hidden/SKILL.md",
      "skill://contracts.list/other-name/SKILL.md",
      "skill://contracts.list/contracts-list/logo.png",
      "skill://contracts.list/contracts-list/SKILL.md?x",
      "skill://authz/authz/SKILL.md",
      "file:///etc/passwd",
      "",
    ]) {
      expect([wrong, (await askOverHttp(ada, "skills/get", { uri: wrong })).error?.code]).toEqual([
        wrong,
        -32_602,
      ]);
    }
    expect((await askOverHttp(ada, "skills/get")).error?.code).toBe(-32_602);
    expect((await askOverHttp(ada, "skills/list", { cursor: 1 })).error?.code).toBe(-32_602);
  });

  it.each([
    "skill://contracts.list/contracts-list/../../../etc/passwd",
    "skill://contracts.list/contracts-list/references%2Ferrors.md",
    "skill://contracts.list/contracts-list/nothing.md",
    "skill://contracts.list/contracts-list/",
    "skill://contracts.sign/contracts-sign/references/errors.md",
    "skill://contracts.list/contracts-list/a.sh%00",
    "authz-skill:///contracts.list",
  ])("reads nothing at %s", async (uri) => {
    await expect(read(ada, uri)).rejects.toThrow("-32602");
  });

  it("never gives one person what another one sees", async () => {
    const bruno = seen();
    await Promise.all(
      Array.from({ length: 10 }, async (_, index) => {
        const { skills } = await list(index % 2 === 0 ? ada : bruno);
        expect(skills).toHaveLength(index % 2 === 0 ? 1 : 0);
      }),
    );
    await expect(read(bruno, "skill://contracts.list/contracts-list/a.sh")).rejects.toThrow(
      "There is no skill",
    );
  });

  it("comes in pages, which stay in order while skills come and go", async () => {
    const many = seen({
      skills: Array.from({ length: 45 }, (_, index) => skill(`a.s${String(index).padStart(2, "0")}`)),
    });
    const first = await list(many);
    expect(first.skills).toHaveLength(20);
    many.skills = many.skills.filter(({ id }) => id !== first.nextCursor);
    const second = await list(many, first.nextCursor);
    const third = await list(many, second.nextCursor);
    expect(third.nextCursor).toBeUndefined();
    const names = [...first.skills, ...second.skills, ...third.skills].map(
      ({ frontmatter }) => frontmatter.name,
    );
    expect(names).toHaveLength(45);
    expect(new Set(names).size).toBe(45);
  });

  it("begins with what the administrators say and what is missing, so that an outage is not taken for an answer", async () => {
    const told = seen({
      skills: ada.skills,
      instructions: "Ask it-help.\u202e",
      incomplete: [{ resource: "travel", name: "Travel", state: "failed", fetchedAt: undefined }],
    });
    const [notice, ...others] = (await list(told)).skills;
    expect(others).toHaveLength(1);
    expect(notice).toMatchObject({
      uri: "skill://authz/authz/SKILL.md",
      frontmatter: {
        name: "authz",
        description:
          "This list of skills is incomplete: The skills of Travel are missing: they could not be fetched. Read before other skills: Acme tells every agent something.",
      },
    });
    const text = String(await read(told, notice?.uri ?? ""));
    expect(parse(/^---\n([\s\S]*?)\n---\n/.exec(text)?.[1] ?? "")).toEqual(notice?.frontmatter);
    expect(text).toContain("# Acme tells every agent\n\nAsk it-help.\\u{202e}\n");
    expect(text).toContain("- The skills of Travel are missing: they could not be fetched.");
    expect(text).toContain("need a permission which you lack: 1.");
    if (notice === undefined || notice.resources === "dynamic") throw new Error("There is no notice.");
    expect(notice.resources[0]?.digest).toBe(digestOf(text));
    const { result } = await askOverHttp(told, "resources/list");
    expect(((result?.resources ?? []) as { name: string }[]).map(({ name }) => name)).toEqual([
      "authz",
      "contracts-list",
    ]);
    expect(skillName("authz.authz")).not.toBe("authz");
  });
});
