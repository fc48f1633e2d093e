import type { Command } from "commander";
import { EXIT } from "../../exit-code.js";
import type { CommandContext } from "../command.js";
import type { Shell } from "./shells.js";

/** What can follow after one command: its subcommands and options. */
interface Step {
  /** The words so far, like `authz skills`. */
  path: string;
  words: readonly { word: string; description: string }[];
}

/** Prints a completion script, made from the commands as they are. */
export async function completion(
  { surroundings }: CommandContext,
  shell: Shell,
  root: Command,
): Promise<number> {
  surroundings.stdout.write(SCRIPTS[shell](stepsOf(root, "authz")));
  return await Promise.resolve(EXIT.ok);
}

function stepsOf(command: Command, path: string): readonly Step[] {
  const options = [...command.options, ...(command.parent === null ? [] : rootOf(command).options)];
  const words = [
    ...command.commands.map((sub) => ({ word: sub.name(), description: sub.description() })),
    ...options.map(({ long, short, description }) => ({ word: long ?? short ?? "", description })),
    { word: "--help", description: "show help" },
  ];
  return [{ path, words }, ...command.commands.flatMap((sub) => stepsOf(sub, `${path} ${sub.name()}`))];
}

function rootOf(command: Command): Command {
  return command.parent === null ? command : rootOf(command.parent);
}

const SCRIPTS: Readonly<Record<Shell, (steps: readonly Step[]) => string>> = { bash, zsh, fish, powershell };

function bash(steps: readonly Step[]): string {
  return `# bash completion for authz
_authz() {
  local current="\${COMP_WORDS[COMP_CWORD]}" path=authz word
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$path $word" in
      ${knownPaths(steps)}) path="$path $word" ;;
    esac
  done
  case "$path" in
${steps.map(({ path, words }) => `    "${path}") COMPREPLY=($(compgen -W "${words.map(({ word }) => word).join(" ")}" -- "$current")) ;;`).join("\n")}
  esac
}
complete -o default -F _authz authz
`;
}

function zsh(steps: readonly Step[]): string {
  return `#compdef authz
_authz() {
  local at=authz word
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case "$at $word" in
      ${knownPaths(steps)}) at="$at $word" ;;
    esac
  done
  local -a choices
  case "$at" in
${steps.map(({ path, words }) => `    "${path}") choices=(${words.map(({ word, description }) => `'${word}:${description.replaceAll(/['\\:]/g, " ")}'`).join(" ")}) ;;`).join("\n")}
  esac
  _describe authz choices || _files
}
compdef _authz authz
`;
}

function fish(steps: readonly Step[]): string {
  const lines = steps.flatMap(({ path, words }) => {
    const [, ...at] = path.split(" ");
    const condition =
      at.length === 0
        ? "__fish_use_subcommand"
        : at.map((word) => `__fish_seen_subcommand_from ${word}`).join("; and ");
    return words.map(({ word, description }) => {
      const what = word.startsWith("--") ? `-l ${word.slice(2)}` : `-f -a ${word}`;
      return `complete -c authz -n '${condition}' ${what} -d '${description.replaceAll(/['\\]/g, " ")}'`;
    });
  });
  return `# fish completion for authz\n${lines.join("\n")}\n`;
}

function powershell(steps: readonly Step[]): string {
  return `# PowerShell completion for authz
Register-ArgumentCompleter -Native -CommandName authz -ScriptBlock {
  param($wordToComplete, $commandAst, $cursorPosition)
  $choices = @{
${steps.map(({ path, words }) => `    '${path}' = @(${words.map(({ word }) => `'${word}'`).join(", ")})`).join("\n")}
  }
  $at = 'authz'
  foreach ($element in $commandAst.CommandElements | Select-Object -Skip 1) {
    $next = "$at $element"
    if ($choices.ContainsKey($next)) { $at = $next }
  }
  $choices[$at] | Where-Object { $_ -like "$wordToComplete*" } | ForEach-Object {
    [System.Management.Automation.CompletionResult]::new($_, $_, 'ParameterValue', $_)
  }
}
`;
}

function knownPaths(steps: readonly Step[]): string {
  return steps
    .slice(1)
    .map(({ path }) => `"${path}"`)
    .join("|");
}
