import type { Command, Help } from "commander";

/** Examples by command, the first thing its help shows. */
export type Examples = ReadonlyMap<string, readonly string[]>;

/** Lays out the help of one command: what it does, examples, then arguments and options. */
export function formatHelp(command: Command, help: Help, examples: readonly string[]): string {
  const sections: string[] = [command.description()];
  if (examples.length > 0) sections.push(section("Examples", examples));
  sections.push(section("Usage", [help.commandUsage(command)]));
  const commands = help
    .visibleCommands(command)
    .map((sub): [string, string] => [help.subcommandTerm(sub), help.subcommandDescription(sub)]);
  if (commands.length > 0) sections.push(section("Commands", columns(commands)));
  const options = [...help.visibleOptions(command), ...help.visibleGlobalOptions(command)].map(
    (option): [string, string] => [help.optionTerm(option), option.description],
  );
  if (options.length > 0) sections.push(section("Options", columns(options)));
  return `${sections.join("\n\n")}\n`;
}

function section(title: string, lines: readonly string[]): string {
  return `${title}\n${lines.map((line) => `  ${line}`).join("\n")}`;
}

function columns(rows: readonly (readonly [string, string])[]): string[] {
  const width = Math.max(...rows.map(([term]) => term.length));
  return rows.map(([term, description]) => `${term.padEnd(width)}  ${description}`);
}
