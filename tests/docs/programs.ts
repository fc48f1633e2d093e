import type { Command, Option } from "commander";

/** Describes the first mistake in the arguments of a commander program. */
export function findMistake(program: Command, words: readonly string[]): string | undefined {
  let command = program;
  const operands: string[] = [];
  const given = new Set<Option>();
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? "";
    if (/^-./.test(word)) {
      const [name = "", value] = word.split("=", 2);
      if (["-h", "--help"].includes(name)) return undefined;
      const option = findOption(command, name);
      if (option === undefined) return `${command.name()} has no option ${name}`;
      given.add(option);
      if (!option.required || value !== undefined) continue;
      at += 1;
      const next = words[at];
      if (next === undefined) return `${name} needs a value`;
      if (option.argChoices !== undefined && !option.argChoices.includes(next))
        return `${name} cannot be ${next}`;
      continue;
    }
    const below = operands.length === 0 ? command.commands.find((one) => one.name() === word) : undefined;
    if (below === undefined) operands.push(word);
    else command = below;
  }
  return findMistakeOf(command, operands, given);
}

function findMistakeOf(
  command: Command,
  operands: readonly string[],
  given: ReadonlySet<Option>,
): string | undefined {
  const { registeredArguments, options } = command;
  const [first] = operands;
  if (registeredArguments.length === 0 && first !== undefined)
    return `${command.name()} does not know ${first}`;
  const least = registeredArguments.filter((argument) => argument.required).length;
  if (operands.length < least) return `${command.name()} needs ${least} arguments`;
  const isOpen = registeredArguments.at(-1)?.variadic === true;
  if (!isOpen && operands.length > registeredArguments.length)
    return `${command.name()} takes fewer arguments`;
  const choices = registeredArguments[0]?.argChoices;
  if (choices !== undefined && first !== undefined && !choices.includes(first))
    return `not among the choices: ${first}`;
  const missing = options.find((option) => option.mandatory && !given.has(option));
  return missing === undefined ? undefined : `${command.name()} needs ${missing.long ?? missing.short ?? ""}`;
}

function findOption(command: Command, name: string): Option | undefined {
  const own = command.options.find(({ long, short }) => long === name || short === name);
  return own ?? (command.parent === null ? undefined : findOption(command.parent, name));
}
