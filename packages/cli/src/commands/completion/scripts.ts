import { type Step, type Values } from "./steps.js";

/** The shells that there are scripts for. */
export type Shell = "bash" | "zsh" | "fish" | "powershell";

export const knownShells: readonly Shell[] = ["bash", "zsh", "fish", "powershell"];

/** A completion script, made from what can follow after each command. */
export const shellScripts: Readonly<Record<Shell, (steps: readonly Step[]) => string>> = {
  bash,
  zsh,
  fish,
  powershell,
};

function bash(steps: readonly Step[]): string {
  const list = (values: Values): string =>
    "ask" in values
      ? `$(authz __complete ${values.ask} "\${profile[@]}" 2>/dev/null)`
      : values.choices.join(" ");
  const reply = (values: Values | undefined): string =>
    values === undefined ? "return" : `COMPREPLY=($(compgen -W "${list(values)}" -- "$current")); return`;
  return `# bash completion for authz
_authz() {
  local current="\${COMP_WORDS[COMP_CWORD]}" path=authz last= word
  local -a profile=()
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    [ "$last" = --profile ] && profile=(--profile "$word")
    last="$word"
    case "$path $word" in
      ${knownPaths(steps)}) path="$path $word" ;;
    esac
  done
  COMPREPLY=()
  case "$path $last" in
${valueCases(steps, reply)}
  esac
  [[ "$current" == -* ]] || case "$path" in
${argumentCases(steps, reply)}
  esac
  case "$path" in
${steps.map(({ path, words }) => `    "${path}") COMPREPLY=($(compgen -W "${words.map(({ word }) => word).join(" ")}" -- "$current")) ;;`).join("\n")}
  esac
}
complete -o default -F _authz authz
`;
}

function zsh(steps: readonly Step[]): string {
  const list = (values: Values): string =>
    "ask" in values
      ? `\${(f)"$(authz __complete ${values.ask} $profile 2>/dev/null)"}`
      : values.choices.join(" ");
  const reply = (values: Values | undefined): string =>
    values === undefined ? "_files; return" : `compadd -- ${list(values)}; return`;
  return `#compdef authz
_authz() {
  local at=authz last= word
  local -a choices profile
  for word in "\${(@)words[2,CURRENT-1]}"; do
    [[ "$last" == --profile ]] && profile=(--profile "$word")
    last="$word"
    case "$at $word" in
      ${knownPaths(steps)}) at="$at $word" ;;
    esac
  done
  case "$at $last" in
${valueCases(steps, reply)}
  esac
  [[ "\${words[CURRENT]}" == -* ]] || case "$at" in
${argumentCases(steps, reply)}
  esac
  case "$at" in
${steps.map(({ path, words }) => `    "${path}") choices=(${words.map(({ word, description }) => `'${word}:${description.replaceAll(/['\\:]/g, " ")}'`).join(" ")}) ;;`).join("\n")}
  esac
  _describe authz choices || _files
}
compdef _authz authz
`;
}

function fish(steps: readonly Step[]): string {
  const list = (values: Values): string =>
    "ask" in values
      ? `(authz __complete ${values.ask} (__authz_profile) 2>/dev/null)`
      : values.choices.join(" ");
  const lines = steps.flatMap(({ path, words, options, values }) => {
    const line = (what: string): string => `complete -c authz -n '__authz_at "${path}"' ${what}`;
    const described = (text: string): string => `-d '${text.replaceAll(/['\\]/g, " ")}'`;
    const taking = new Set(options.flatMap(({ names }) => names));
    return [
      ...words
        .filter(({ word }) => !taking.has(word))
        .map(({ word, description }) =>
          line(
            `${word.startsWith("--") ? `-l ${word.slice(2)}` : `-f -a ${word}`} ${described(description)}`,
          ),
        ),
      ...options.map((option) => {
        const names = option.names.map((name) =>
          name.startsWith("--") ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`,
        );
        const given = option.values === undefined ? "-r" : `-x -a '${list(option.values)}'`;
        return line(`${names.join(" ")} ${given} ${described(option.description)}`);
      }),
      ...(values === undefined ? [] : [line(`-f -a '${list(values)}'`)]),
    ];
  });
  return `# fish completion for authz
function __authz_at
  set -l at authz
  for word in (commandline -opc)[2..]
    contains -- "$at $word" ${steps
      .slice(1)
      .map(({ path }) => `"${path}"`)
      .join(" ")}; and set at "$at $word"
  end
  test "$at" = "$argv[1]"
end
function __authz_profile
  set -l words (commandline -opc)
  set -l at (contains -i -- --profile $words); and test $at -lt (count $words); and string join \\n -- --profile $words[(math $at + 1)]
end
${lines.join("\n")}
`;
}

function powershell(steps: readonly Step[]): string {
  const list = (values: Values): string =>
    "ask" in values
      ? `{ authz __complete ${values.ask} @chosen 2>$null }`
      : `{ ${values.choices.map((choice) => `'${choice}'`).join(", ")} }`;
  const places = steps.flatMap(({ path, options, values }) => [
    ...options.flatMap((option) =>
      option.values === undefined
        ? []
        : option.names.map((name) => [`${path} ${name}`, option.values] as const),
    ),
    ...(values === undefined ? [] : [[path, values] as const]),
  ]);
  return `# PowerShell completion for authz
Register-ArgumentCompleter -Native -CommandName authz -ScriptBlock {
  param($wordToComplete, $commandAst, $cursorPosition)
  $choices = @{
${steps.map(({ path, words }) => `    '${path}' = @(${words.map(({ word }) => `'${word}'`).join(", ")})`).join("\n")}
  }
  $values = @{
${places.map(([place, values]) => `    '${place}' = ${values === undefined ? "{}" : list(values)}`).join("\n")}
  }
  $at = 'authz'
  $last = ''
  $chosen = @()
  $elements = @($commandAst.CommandElements | Select-Object -Skip 1 | Where-Object { "$_" -ne $wordToComplete -or $wordToComplete -eq '' })
  foreach ($element in $elements) {
    if ($last -eq '--profile') { $chosen = @('--profile', "$element") }
    $last = "$element"
    $next = "$at $element"
    if ($choices.ContainsKey($next)) { $at = $next }
  }
  $place = if ($values.ContainsKey("$at $last")) { "$at $last" } elseif (-not $wordToComplete.StartsWith('-')) { $at } else { '' }
  $found = if ($values.ContainsKey($place)) { & $values[$place] } else { $choices[$at] }
  $found | Where-Object { $_ -like "$wordToComplete*" } | ForEach-Object {
    [System.Management.Automation.CompletionResult]::new($_, $_, 'ParameterValue', $_)
  }
}
`;
}

/** A case for each option that a value follows. */
function valueCases(steps: readonly Step[], reply: (values: Values | undefined) => string): string {
  return steps
    .flatMap(({ path, options }) =>
      options.map(
        ({ names, values }) =>
          `    ${names.map((name) => `"${path} ${name}"`).join("|")}) ${reply(values)} ;;`,
      ),
    )
    .join("\n");
}

/** A case for each command whose own words are known. */
function argumentCases(steps: readonly Step[], reply: (values: Values) => string): string {
  return steps
    .flatMap(({ path, values }) => (values === undefined ? [] : [`    "${path}") ${reply(values)} ;;`]))
    .join("\n");
}

function knownPaths(steps: readonly Step[]): string {
  return steps
    .slice(1)
    .map(({ path }) => `"${path}"`)
    .join("|");
}
