import type { Argument, Command, Option } from "commander";

/** Values that only this computer or the server knows. */
export type ValueKind = "skills" | "profiles" | "connections";

export const valueKinds: readonly ValueKind[] = ["skills", "profiles", "connections"];

/** What can stand at one place: words that are known, or those that authz is asked for. Neither: a file, or anything. */
export type Values = { choices: readonly string[] } | { ask: ValueKind };

/** What can follow after one command. */
export interface Step {
  /** The words so far, like `authz skills`. */
  path: string;
  /** Commands and options. */
  words: readonly { word: string; description: string }[];
  /** Options that a value follows. */
  options: readonly { names: readonly string[]; description: string; values: Values | undefined }[];
  /** What else can stand there. */
  values: Values | undefined;
}

const askedOptions: Readonly<Record<string, ValueKind>> = {
  "--profile": "profiles",
  "--connection": "connections",
};

const askedArguments: Readonly<Record<string, ValueKind>> = {
  "authz skills show": "skills",
  "authz skills pull": "skills",
  "authz connections show": "connections",
  "authz connections connect": "connections",
  "authz connections disconnect": "connections",
  "authz config use": "profiles",
  "authz config remove": "profiles",
};

/** Every command with what can follow it, made from the commands as they are. */
export function stepsOf(command: Command, path: string = command.name()): readonly Step[] {
  const root = rootOf(command);
  const below = root.createHelp().visibleCommands(command);
  const options = [...command.options, ...(command === root ? [] : root.options)];
  const words = [
    ...below.map((sub) => ({ word: sub.name(), description: sub.description() })),
    ...options.map((option) => ({ word: longest(option), description: option.description })),
    { word: "--help", description: "show help" },
  ];
  const withValue = options.filter((option) => option.required || option.optional);
  const step: Step = {
    path,
    words,
    options: withValue.map((option) => ({
      names: [option.long, option.short].filter((name) => name !== undefined && name !== null),
      description: option.description,
      values: valuesOf(option, askedOptions[longest(option)]),
    })),
    values:
      path === "authz help"
        ? {
            choices: root
              .createHelp()
              .visibleCommands(root)
              .map((sub) => sub.name()),
          }
        : valuesOf(command.registeredArguments[0], askedArguments[path]),
  };
  return [step, ...below.flatMap((sub) => stepsOf(sub, `${path} ${sub.name()}`))];
}

function valuesOf(place: Option | Argument | undefined, ask: ValueKind | undefined): Values | undefined {
  if (ask !== undefined) return { ask };
  return place?.argChoices === undefined ? undefined : { choices: place.argChoices };
}

function longest({ long, short }: Option): string {
  return long ?? short ?? "";
}

function rootOf(command: Command): Command {
  return command.parent === null ? command : rootOf(command.parent);
}
