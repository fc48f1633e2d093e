import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { renderSkillMarkdown } from "@authz/skills";
import { readSkillFolders } from "@authz/skills/folder";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { skill } from "./skill.js";

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "skills-"));
});
afterEach(async () => await rm(root, { recursive: true, force: true }));

async function put(path: string, text: string | Uint8Array): Promise<void> {
  await mkdir(dirname(join(root, path)), { recursive: true });
  await writeFile(join(root, path), text);
}

describe("skills on a disk", () => {
  test("are read with what belongs to them, hidden files left out", async () => {
    await put("list-contracts/SKILL.md", renderSkillMarkdown(skill));
    await put("list-contracts/references/errors.md", "# Errors\n");
    await put("list-contracts/scripts/run.sh", "#!/bin/sh\n");
    await put("list-contracts/.DS_Store", "x");
    await put("list-contracts/.git/config", "x");
    await put("no-skill/README.md", "x");
    await put("README.md", "x");
    expect(await readSkillFolders(root)).toEqual([
      {
        ...skill,
        visibility: "DEFAULT",
        content: skill.content.trim(),
        files: [
          { path: "references/errors.md", content: Buffer.from("# Errors\n") },
          { path: "scripts/run.sh", content: Buffer.from("#!/bin/sh\n") },
        ],
      },
    ]);
  });

  test("need no more than a name and a description, and may say who sees them", async () => {
    await put(
      "b/SKILL.md",
      "---\r\nname: b\r\ndescription: What it's for\r\nlicense: 'It''s ours'\r\n---\r\nDo it.",
    );
    await put(
      "a/SKILL.md",
      "---\nname: a\nmetadata:\n  required-scopes: x:y  z:w\n  visibility: HIDDEN_IF_UNALLOWED\n---\nGo.",
    );
    expect(await readSkillFolders(root)).toEqual([
      {
        id: "a",
        title: "a",
        requiredScopes: ["x:y", "z:w"],
        visibility: "HIDDEN_IF_UNALLOWED",
        content: "Go.",
      },
      {
        id: "b",
        title: "b",
        description: "What it's for",
        requiredScopes: [],
        visibility: "DEFAULT",
        content: "Do it.",
      },
    ]);
  });

  test.each([
    { name: "no front matter", text: "# Hello", says: "front matter" },
    { name: "front matter without an end", text: "---\nname: a\n", says: "front matter" },
    { name: "another name than the folder", text: "---\nname: b\n---\nx", says: "that of the folder" },
    { name: "no name", text: "---\ndescription: x\n---\nx", says: "missing" },
    { name: "a member twice", text: "---\nname: a\nname: a\n---\nx", says: "second time" },
    { name: "metadata twice", text: "---\nname: a\nmetadata:\nmetadata:\n---\nx", says: "second time" },
    { name: "metadata as text", text: "---\nname: a\nmetadata: x\n---\nx", says: "members" },
    {
      name: "members below something else",
      text: "---\nname: a\n  visibility: DEFAULT\n---\nx",
      says: "metadata",
    },
    { name: "a list", text: "---\nname: a\ntags: [x]\n---\nx", says: "double quotes" },
    { name: "several lines", text: "---\nname: a\ndescription: >-\n  x\n---\nx", says: "double quotes" },
    { name: "an alias", text: "---\nname: a\ndescription: *x\n---\nx", says: "double quotes" },
    { name: "a comment behind", text: "---\nname: a # b\n---\nx", says: "double quotes" },
    { name: "an open quote", text: '---\nname: "a\n---\nx', says: "JSON" },
    {
      name: "an unknown visibility",
      text: "---\nname: a\nmetadata:\n  visibility: ALL\n---\nx",
      says: "DEFAULT",
    },
    { name: "no text", text: "---\nname: a\n---\n", says: "empty" },
    { name: "text that nobody sees", text: "---\nname: a\n---\nx\u202e", says: "invisible characters" },
    { name: "something that is no text", text: Uint8Array.of(0xff), says: "UTF-8" },
  ])("with $name are refused", async ({ text, says }) => {
    await put("a/SKILL.md", text);
    await expect(readSkillFolders(root)).rejects.toThrow(new RegExp(`/a is not a skill.*${says}`, "s"));
  });

  test("with links are refused, and none is followed", async () => {
    await put("a/SKILL.md", "---\nname: a\n---\nx");
    await put("secret", "x");
    await symlink(join(root, "secret"), join(root, "a", "link"));
    await expect(readSkillFolders(root)).rejects.toThrow("no ordinary file");
    await rm(join(root, "a"), { recursive: true });
    await put("b/x", "x");
    await symlink(join(root, "secret"), join(root, "b", "SKILL.md"));
    await expect(readSkillFolders(root)).rejects.toThrow("no ordinary file");
  });
});
