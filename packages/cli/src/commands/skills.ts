import type { AuthzClient, Skill, SkillFileEntry, SkillList, SkillSummary } from "@authz/client";
import { exitCodes } from "../exit-code.js";
import {
  bestSkills,
  describeGap,
  findSkills,
  framedSkill,
  framedText,
  skillMarkdown,
  textOf,
} from "@authz/agent-tools";
import { quoted } from "@authz/skills/invisible";
import { openClient } from "../profile/open-client.js";
import type { CommandContext, CommandTree } from "./command.js";
import { SkillFolder, type SkillPlace } from "./skills/skill-folder.js";

/** `skills` with `list`, `find`, `show` and `pull`. */
export function addSkills({ add, addBelow, action }: CommandTree): void {
  const skills = add("skills", "List and read the instructions that services publish.", [
    "authz skills",
    "authz skills find contract",
    "authz skills show contracts.list",
    "authz skills pull --directory .agents/skills",
  ]);
  const list = action(async (context) => await listSkills(context));
  skills.action(async () => await list());
  addBelow(skills, "list", "List the skills you can see.", ["authz skills list"]).action(
    async () => await list(),
  );

  addBelow(skills, "find <words...>", "Find skills by keywords.", [
    "authz skills find list contracts",
  ]).action(action(async (context, words: string[]) => await listSkills(context, words.join(" "))));

  addBelow(skills, "show <id> [file]", "Print one skill's instructions, or a file of it.", [
    "authz skills show contracts.list",
    "authz skills show contracts.list references/errors.md",
  ]).action(action(showSkill));

  addBelow(
    skills,
    "pull [ids...]",
    "Write all skills you may run, or some, as Agent Skills folders (SKILL.md and its files).",
    ["authz skills pull", "authz skills pull contracts.list --directory .agents/skills"],
  )
    .option("--directory <path>", "where the folders go; skills unless given")
    .action(action(pullSkills));
}

/** Lists the skills that the signed-in person can see, all or those that match. */
async function listSkills(context: CommandContext, query?: string): Promise<number> {
  const { runtime, output, profile, offer } = context;
  const { client } = await openClient(runtime, profile);
  const list = await client.skillList();
  const { items: all, incomplete } = list;
  const found = query === undefined ? all : findSkills(all, query);
  // A model reads the best, a person looks through a table.
  const { best, others } = bestSkills(all, query);
  const items = output.agent && query !== undefined ? best : found;
  if (output.json) {
    output.data({
      items,
      incomplete,
      ...(list.installation !== undefined && { installation: list.installation }),
    });
    return exitCodes.ok;
  }
  noteInstructions(context, list);
  if (all.length === 0 && incomplete.length === 0) {
    output.note("No service has published a skill for you yet.");
    output.note("Ask an administrator which services you may use.");
  } else if (all.length === 0) {
    output.note("There is no skill to show.");
  } else if (items.length === 0) {
    output.note(`No skill matches "${query ?? ""}".`);
    output.note(`Try fewer words, or see all: ${offer({ do: "list_skills" })}`);
  } else {
    output.table(
      ["ID", "ALLOWED", "TITLE"],
      items.map(({ id, allowed, title }) => [id, allowed ? "yes" : "no", quoted(title)]),
    );
    if (runtime.stdoutIsTerminal)
      output.note(output.quiet(`Read one: ${offer({ do: "run", words: ["skills", "show", "ID"] })}`));
  }
  const elsewhere = Object.entries(others).map(([publisher, count]) => `${publisher} ${String(count)}`);
  if (output.agent && query !== undefined && elsewhere.length > 0)
    output.note(`Other skills: ${elsewhere.join(", ")}`);
  for (const gap of incomplete) output.note(output.warning(describeGap(gap)));
  return exitCodes.ok;
}

/** What the administrators tell every agent, each line marked as theirs. */
function noteInstructions({ output }: CommandContext, { installation }: SkillList): void {
  if (installation?.instructions === undefined) return;
  output.note(`${installation.name} tells every agent:`);
  for (const line of installation.instructions.split(/\r?\n/)) output.note(`> ${line}`);
}

/** Prints one skill's instructions, or one of its files. */
async function showSkill(context: CommandContext, id: string, file?: string): Promise<number> {
  const { runtime, output, profile, offer } = context;
  const { client } = await openClient(runtime, profile);
  const skill = await client.skill(id);
  if (file !== undefined) return await showFile(context, client, { skill, path: file });
  if (output.json) {
    output.data(skill);
    return exitCodes.ok;
  }
  if (!skill.allowed) await warnNotAllowed(context, client, skill);
  output.text(framedSkill(skill));
  if (skill.files.length > 0) {
    output.note("Files of this skill:");
    for (const { path, size } of skill.files) output.note(`  ${path} (${String(size)} bytes)`);
    if (runtime.stdoutIsTerminal)
      output.note(output.quiet(`Read one: ${offer({ do: "run", words: ["skills", "show", id, "FILE"] })}`));
  }
  return exitCodes.ok;
}

/** Prints a file that is text; what is none belongs into a folder. */
async function showFile(
  { output, offer }: CommandContext,
  client: AuthzClient,
  { skill, path }: { skill: Skill; path: string },
): Promise<number> {
  const bytes = await client.skillFile(skill, path);
  const text = textOf(bytes);
  if (output.json) {
    const content =
      text === undefined ? { contentBase64: Buffer.from(bytes).toString("base64") } : { content: text };
    output.data({ id: skill.id, path, size: bytes.length, ...content });
    return exitCodes.ok;
  }
  if (text === undefined) {
    output.note(`${path} has ${String(bytes.length)} bytes and is not text.`);
    output.note(`Write it to a folder: ${offer({ do: "run", words: ["skills", "pull", skill.id] })}`);
    return exitCodes.ok;
  }
  output.text(framedText(`"${skill.resource}" published as a file of ${skill.id}`, text));
  return exitCodes.ok;
}

async function warnNotAllowed(
  { output, offer }: CommandContext,
  client: AuthzClient,
  { requiredScopes, resource }: SkillSummary,
): Promise<void> {
  output.note(
    `${output.warning("You cannot run this yet.")} It needs ${requiredScopes.join(", ")} for ${resource}.`,
  );
  const publisher = (await client.resources()).find(({ key }) => key === resource);
  const [address] = publisher?.requestPrefixes ?? [];
  output.note(
    address === undefined
      ? "Ask an administrator."
      : `Whom to ask: ${offer({ do: "explain", url: address, scopes: requiredScopes })}`,
  );
}

const defaultDirectory = "skills";

/** Options of `authz skills pull`. */
interface PullOptions {
  directory?: string;
}

/**
 * Writes skills as Agent Skills folders: those that are named, or all one may run. The latter also removes those of the same server that one
 * may no longer run.
 */
async function pullSkills(
  { runtime, output, profile }: CommandContext,
  ids: readonly string[],
  { directory }: PullOptions,
): Promise<number> {
  const { client } = await openClient(runtime, profile);
  const { items: listed, incomplete } = await client.skillList();
  const wanted = ids.length > 0 ? ids : listed.filter(({ allowed }) => allowed).map(({ id }) => id);
  const folder = new SkillFolder(directory ?? defaultDirectory, client.issuer);
  if (directory === undefined) await folder.refuseLink();
  const files: SkillPlace[] = [];
  for (const id of wanted) {
    const skill = await client.skill(id);
    const own = { list: skill.files, read: ({ path }: SkillFileEntry) => client.skillFile(skill, path) };
    files.push(await folder.write(skill.id, skillMarkdown(skill, client.issuer), own));
  }
  // What an outage hides is not gone.
  const isHidden = ({ id }: SkillPlace): boolean =>
    incomplete.some(({ resource, state }) => state !== "stale" && id.startsWith(`${resource}.`));
  const removed = ids.length > 0 ? [] : await folder.removeOthers(files, isHidden);
  if (output.json) output.data({ items: files, removed, incomplete });
  else if (files.length === 0) output.note("There is no skill you may run, so nothing was written.");
  else for (const { file } of files) output.text(file);
  for (const { id } of output.json ? [] : removed)
    output.note(`Removed ${id}: it is gone, or you may no longer run it.`);
  for (const gap of output.json ? [] : incomplete) output.note(output.warning(describeGap(gap)));
  return exitCodes.ok;
}
