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
    { name: "invisible text", text: "---\nname: a\n---\nx\u202e", says: "invisible characters" },
    {
      name: "a byte order mark",
      text: "\uFEFF---\nname: a\n---\nx",
      says: String.raw`Line 1 has U\+FEFF, a byte order mark`,
    },
    {
      name: "text that is hidden in it",
      text: "---\nname: a\n---\nx\u200By",
      says: String.raw`Line 4 has U\+200B`,
    },
    { name: "a title alone", text: "---\ntitle: a\n---\nx", says: "published. name is missing" },
    {
      name: "a comma between scopes",
      text: "---\nname: a\nmetadata:\n  required-scopes: x:y, z:w\n---\nx",
      says: "published. metadata.required-scopes must be",
    },
    {
      name: "a visibility that is not below metadata",
      text: "---\nname: a\nvisibility: HIDDEN_IF_UNALLOWED\n---\nx",
      says: 'Write "visibility" below metadata',
    },
    {
      name: "scopes in another spelling",
      text: "---\nname: a\nmetadata:\n  requiredScopes: x:y\n---\nx",
      says: '"requiredScopes" has no meaning there. Write "required-scopes" below metadata',
    },
    { name: "something that is no text", text: Uint8Array.of(0xff), says: "UTF-8" },
  ])("with $name are refused", async ({ text, says }) => {
    await put("a/SKILL.md", text);
    await expect(readSkillFolders(root)).rejects.toThrow(new RegExp(`/a is not a skill.*${says}`, "s"));
  });

  test.each([
    {
      name: "a name with a space",
      file: "my notes.md",
      content: "x",
      says: "/a .*published. my notes.md must be a",
    },
    {
      name: "too many bytes",
      file: "x/y.bin",
      content: Buffer.alloc(2 ** 20 + 1, 1),
      says: "x/y.bin must have",
    },
    {
      name: "hidden text",
      file: "x/y.md",
      content: "1\n2\u00AD",
      says: String.raw`x/y.md must.* Line 2 has U\+00AD`,
    },
  ])("with a file that has $name are refused, and the file is named", async ({ file, content, says }) => {
    await put("a/SKILL.md", "---\nname: a\n---\nx");
    await put("a/first.md", "x");
    await put(`a/${file}`, content);
    await expect(readSkillFolders(root)).rejects.toThrow(new RegExp(says));
  });

  test("in a file that is named in small letters are not left out silently", async () => {
    await put("a/skill.md", "---\nname: a\n---\nx");
    await expect(readSkillFolders(root)).rejects.toThrow("a/skill.md must be named SKILL.md");
  });

  test("in a folder that is a link are refused", async () => {
    await put("elsewhere/SKILL.md", "---\nname: elsewhere\n---\nx");
    await mkdir(join(root, "skills"));
    await symlink(join(root, "elsewhere"), join(root, "skills", "elsewhere"));
    await expect(readSkillFolders(join(root, "skills"))).rejects.toThrow(
      "skills/elsewhere is no ordinary file or folder",
    );
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
