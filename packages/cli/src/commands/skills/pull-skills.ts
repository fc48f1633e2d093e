import { EXIT } from "../../exit-code.js";
import { openClient } from "../../session/open-client.js";
import type { CommandContext } from "../command.js";
import { renderSkillFile } from "./skill-file.js";
import { SkillFolder, type SkillPlace } from "./skill-folder.js";

const DEFAULT_DIRECTORY = "skills";

/** Options of `authz skills pull`. */
export interface PullOptions {
  directory?: string;
}

/**
 * Writes skills as Agent Skills folders: those that are named, or all one may run. The latter also removes those of the same server that one
 * may no longer run.
 */
export async function pullSkills(
  { surroundings, output, profile }: CommandContext,
  ids: readonly string[],
  { directory }: PullOptions,
): Promise<number> {
  const { client } = await openClient(surroundings, profile);
  const listed = await client.skills();
  const wanted = ids.length > 0 ? ids : listed.filter(({ allowed }) => allowed).map(({ id }) => id);
  const folder = new SkillFolder(directory ?? DEFAULT_DIRECTORY, client.issuer);
  if (directory === undefined) await folder.refuseLink();
  const files: SkillPlace[] = [];
  for (const id of wanted) {
    const skill = await client.skill(id);
    files.push(await folder.write(skill.id, renderSkillFile(skill, client.issuer)));
  }
  const removed = ids.length > 0 ? [] : await folder.removeOthers(files);
  if (output.json) output.data({ items: files, removed });
  else if (files.length === 0) output.note("There is no skill you may run, so nothing was written.");
  else for (const { file } of files) output.text(file);
  for (const { id } of output.json ? [] : removed)
    output.note(`Removed ${id}: it is gone, or you may no longer run it.`);
  return EXIT.ok;
}
