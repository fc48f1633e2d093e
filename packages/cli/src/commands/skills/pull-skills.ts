import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileProblem, makeFolder, type Skill } from "@authz/client";
import { CliError } from "../../cli-error.js";
import { EXIT } from "../../exit-code.js";
import { cleanLine, cleanText, toSafeJson } from "../../output/clean-text.js";
import { openClient } from "../../session/open-client.js";
import type { CommandContext } from "../command.js";

/** Options of `authz skills pull`. */
export interface PullOptions {
  directory: string;
}

/** Writes the skills one may run as Agent Skills folders: `{id}/SKILL.md` with front matter. */
export async function pullSkills(
  { surroundings, output, profile }: CommandContext,
  ids: readonly string[],
  { directory }: PullOptions,
): Promise<number> {
  const { client } = await openClient(surroundings, profile);
  const listed = await client.skills();
  const wanted = ids.length > 0 ? ids : listed.filter(({ allowed }) => allowed).map(({ id }) => id);
  const files: { id: string; file: string }[] = [];
  for (const id of wanted) {
    const skill = await client.skill(id);
    const folder = join(directory, folderName(skill.id));
    const file = join(folder, "SKILL.md");
    const text = renderSkillFile(skill);
    try {
      await makeFolder(folder);
      await writeFile(file, text);
    } catch (cause) {
      throw notWritten(file, cause);
    }
    files.push({ id, file });
  }
  if (output.json) output.data({ items: files });
  else if (files.length === 0) output.note("There is no skill you may run, so nothing was written.");
  else for (const { file } of files) output.text(file);
  return EXIT.ok;
}

/**
 * A skill in the form that agents read. Names there are small letters, digits and dashes; what a person could not see in an editor is
 * written out, so that nobody hides an instruction in it.
 */
function renderSkillFile(skill: Skill): string {
  const description = cleanLine(skill.description ?? skill.title).slice(0, 1024);
  return [
    "---",
    `name: ${folderName(skill.id)}`,
    `description: ${toSafeJson(description)}`,
    "metadata:",
    `  id: ${toSafeJson(skill.id)}`,
    `  title: ${toSafeJson(cleanLine(skill.title))}`,
    `  scopes: ${toSafeJson(skill.requiredScopes.join(" "))}`,
    "---",
    "",
    cleanText(skill.content).trimEnd(),
    "",
  ].join("\n");
}

function notWritten(file: string, cause: unknown): CliError {
  const why = fileProblem(cause);
  return new CliError("not_saved", {
    what: `The skill could not be written to ${file}.`,
    ...(why === undefined ? {} : { why }),
    hint: "Choose a folder you can write to: --directory PATH",
    exitCode: EXIT.failure,
    cause,
  });
}

function folderName(id: string): string {
  const name = id.replaceAll(".", "-");
  if (/^[a-z0-9][a-z0-9-]{0,127}$/.test(name)) return name;
  throw new CliError("service_failed", {
    what: `The skill "${id}" cannot become a folder.`,
    why: "Its id has characters other than small letters, digits, dots and dashes.",
    hint: "Tell the people who publish it.",
    exitCode: EXIT.failure,
  });
}
