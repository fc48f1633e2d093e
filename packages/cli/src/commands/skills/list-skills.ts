import type { AuthzClient, SkillSummary } from "@authz/client";
import { EXIT } from "../../exit-code.js";
import { framedSkill } from "../../output/frame.js";
import { openClient } from "../../session/open-client.js";
import type { CommandContext } from "../command.js";
import { findSkills } from "./find-skills.js";

/** Lists the skills that the signed-in person can see, all or those that match. */
export async function listSkills(context: CommandContext, query?: string): Promise<number> {
  const { surroundings, output, profile, offer } = context;
  const { client } = await openClient(surroundings, profile);
  const all = await client.skills();
  const items = query === undefined ? all : findSkills(all, query);
  if (output.json) {
    output.data({ items });
  } else if (all.length === 0) {
    output.note("No service has published a skill for you yet.");
    output.note("Ask an administrator which services you may use.");
  } else if (items.length === 0) {
    output.note(`No skill matches "${query ?? ""}".`);
    output.note(`Try fewer words, or see all: ${offer({ do: "list_skills" })}`);
  } else {
    output.table(
      ["ID", "ALLOWED", "TITLE"],
      items.map(({ id, allowed, title }) => [id, allowed ? "yes" : "no", title]),
    );
    if (surroundings.stdoutIsTerminal)
      output.note(output.quiet(`Read one: ${offer({ do: "run", words: ["skills", "show", "ID"] })}`));
  }
  return EXIT.ok;
}

/** Prints one skill's instructions. */
export async function showSkill(context: CommandContext, id: string): Promise<number> {
  const { surroundings, output, profile } = context;
  const { client } = await openClient(surroundings, profile);
  const skill = await client.skill(id);
  if (output.json) {
    output.data(skill);
    return EXIT.ok;
  }
  if (!skill.allowed) await warnNotAllowed(context, client, skill);
  output.text(framedSkill(skill));
  return EXIT.ok;
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
