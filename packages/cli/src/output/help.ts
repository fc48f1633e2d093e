import type { Command, Help } from "commander";

const indentWidth = 2;
const gap = 2;

/** Lays out the help of one command: what it does, examples, then arguments and options. */
export function formatHelp(command: Command, help: Help, examples: readonly string[]): string {
  const width = help.helpWidth ?? 80;
  const sections: string[] = [wrap(command.description(), width).join("\n")];
  if (examples.length > 0) sections.push(section("Examples", examples));
  sections.push(section("Usage", [help.commandUsage(command)]));
  const commands = help
    .visibleCommands(command)
    .map((sub): [string, string] => [help.subcommandTerm(sub), help.subcommandDescription(sub)]);
  if (commands.length > 0) sections.push(section("Commands", columns(commands, width)));
  const options = [...help.visibleOptions(command), ...help.visibleGlobalOptions(command)].map(
    (option): [string, string] => [help.optionTerm(option), option.description],
  );
  if (options.length > 0) sections.push(section("Options", columns(options, width)));
  return `${sections.join("\n\n")}\n`;
}

function section(title: string, lines: readonly string[]): string {
  return `${title}\n${lines.map((line) => `  ${line}`).join("\n")}`;
}

/** Two columns; what the second one has no room for goes on below it. */
function columns(rows: readonly (readonly [string, string])[], width: number): string[] {
  const indent = Math.max(...rows.map(([term]) => term.length)) + gap;
  return rows.flatMap(([term, description]) =>
    wrap(description, width - indentWidth - indent).map(
      (line, index) => (index === 0 ? term : "").padEnd(indent) + line,
    ),
  );
}

/** Breaks a line between words; a word longer than the width stays whole. */
function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    const longer = line === "" ? word : `${line} ${word}`;
    if (longer.length > width && line !== "") {
      lines.push(line);
      line = word;
    } else {
      line = longer;
    }
  }
  return [...lines, line];
}
