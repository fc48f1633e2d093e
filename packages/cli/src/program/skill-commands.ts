import type { CommandTree } from "./command-tree.js";

/** `skills` with `list`, `find`, `show` and `pull`. */
export function addSkillCommands({ add, addBelow, action }: CommandTree): void {
  const skills = add("skills", "List and read the instructions that services publish.", [
    "authz skills",
    "authz skills find contract",
    "authz skills show contracts.list",
    "authz skills pull --directory .agents/skills",
  ]);
  const list = action(
    async (context) => await (await import("../commands/skills/list-skills.js")).listSkills(context),
  );
  skills.action(async () => await list());
  addBelow(skills, "list", "List the skills you can see.", ["authz skills list"]).action(
    async () => await list(),
  );

  addBelow(skills, "find <words...>", "Find skills by words.", ["authz skills find list contracts"]).action(
    action(async (context, words: string[]) => {
      const { listSkills } = await import("../commands/skills/list-skills.js");
      return await listSkills(context, words.join(" "));
    }),
  );

  addBelow(skills, "show <id>", "Print one skill's instructions.", [
    "authz skills show contracts.list",
  ]).action(
    action(async (context, id: string) => {
      const { showSkill } = await import("../commands/skills/list-skills.js");
      return await showSkill(context, id);
    }),
  );

  addBelow(
    skills,
    "pull [ids...]",
    "Write skills as Agent Skills folders (SKILL.md), all you may run or some.",
    ["authz skills pull", "authz skills pull contracts.list --directory .agents/skills"],
  )
    .option("--directory <path>", "where the folders go; skills unless given")
    .action(
      action(async (context, ids: string[], options: { directory?: string }) => {
        const { pullSkills } = await import("../commands/skills/pull-skills.js");
        return await pullSkills(context, ids, options);
      }),
    );
}
