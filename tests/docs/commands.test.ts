/** Every command of ours in a document exists, with its options. Programs of others are not checked, except what they are told about us. */
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Command } from "commander";
import { beforeAll, describe, expect, it, test } from "vitest";
import { parse } from "yaml";
import { nodeRuntime } from "../../packages/cli/src/index.js";
import { createProgram } from "../../packages/cli/src/program.js";
import { createDevProgram } from "../../packages/dev/src/index.js";
import { createMigrateProgram, createServerProgram } from "../../reference-server/src/main.js";
import { type CommandLine, readCommandLines } from "./command-lines.js";
import { listDocuments, readDocument, root } from "./markdown.js";
import { printedBlocks } from "./printed-blocks.js";
import { findMistake } from "./programs.js";

/** Programs of PostgreSQL: they need a database, and say themselves which options they have. */
const postgresql = ["createdb", "dropdb", "pg_dump", "pg_restore"];
/** What needs a Docker engine; images of ours are checked for what they are told. */
const dockerCommands = ["build", "buildx", "compose", "run"];
const composeCommands = ["exec", "logs", "pull", "run", "stop", "up"];

/** Reads like a command, and is the info of a key derivation. */
const hashInfo = "authz audit seal";

interface Typed extends CommandLine {
  readonly path: string;
  readonly place: string;
}

const documents = listDocuments();
const typed: readonly Typed[] = printedBlocks(documents).flatMap(({ path, line, commands }) =>
  commands.flatMap(readCommandLines).map((command) => ({ ...command, path, place: `${path}:${line}` })),
);
const { services } = parse(readFileSync(join(root, "compose.yaml"), "utf8")) as { services: object };
const programs = new Map<string, Command>();

beforeAll(async () => {
  const { root: authz } = await createProgram(nodeRuntime(), { json: false, agent: false, verbose: false });
  programs.set("authz", authz);
  programs.set("authz-dev", createDevProgram());
  programs.set("authz-server", createServerProgram());
  programs.set("authz-migrate", createMigrateProgram());
});

describe.each(documents.filter((path) => typed.some((command) => command.path === path)))("%s", (path) => {
  it("types commands that exist", () => {
    const commands = typed.filter((command) => command.path === path);
    const wrong = commands.flatMap((command) => {
      const mistake = check(command) ?? findMissingFile(command.words);
      return mistake === undefined ? [] : [`${command.place}: ${command.words.join(" ")}: ${mistake}`];
    });
    expect(wrong).toEqual([]);
  });
});

test("every page that types authz says how to install it", () => {
  const pages = new Set(typed.filter(({ words }) => words[0] === "authz").map(({ path }) => path));
  expect(pages.size).toBeGreaterThan(0);
  const silent = [...pages].filter((path) => !readDocument(path).includes("npm install --global @authz/cli"));
  expect(silent).toEqual([]);
});

test("commands within sentences are called by names that exist", () => {
  const wrong = documents.flatMap((path) => {
    const spans = readDocument(path).matchAll(
      /`((?:npx @authz\/(?:cli|dev)|authz(?:-server|-migrate)?|npm run) [^`…\n]+)`/g,
    );
    return [...spans].flatMap(([, span = ""]) => {
      if (span === hashInfo) return [];
      const plain = span.replaceAll(/<([\w.]+)>/g, "$1").replaceAll(/[[\]]|\.{3}/g, "");
      const mistakes = readCommandLines(plain).map((command) => check({ ...command, path: "", place: "" }));
      // A sentence may leave out what a command needs, but not invent what it has.
      const invented = mistakes.find((mistake) =>
        /does not know|has no option|no script/.test(mistake ?? ""),
      );
      return invented === undefined ? [] : [`${path}: ${span}: ${invented}`];
    });
  });
  expect(wrong).toEqual([]);
});

test.each([
  ["authz frob", "authz does not know frob"],
  ["authz login --isuer https://a.example", "login has no option --isuer"],
  ["npx @authz/cli connections conect notes", "connections does not know conect"],
  ["npx @authz/dev register", "register needs 1 arguments"],
  ["npx @authz/dev --ports 1", "authz-dev has no option --ports"],
  ["npx frob", "no package here has frob"],
  ["authz-server secrets --format yaml", "--format cannot be yaml"],
  ["authz-server apply", "apply needs --file"],
  ["authz-server keys activate", "activate needs 1 arguments"],
  ["authz-server accept POSTGRES_URL", "not among the choices: POSTGRES_URL"],
  ["authz-migrate resolve --rolled-back", "--rolled-back needs a value"],
  ["docker run --rm ghcr.io/authz/authz-server:X.Y.Z secret", "authz-server does not know secret"],
  ["docker compose run --rm servers audit verify", "compose.yaml has no servers"],
  ["docker compose run --rm server audit verfy", "audit does not know verfy"],
  ["docker compose frob", "no such command of Compose is known here"],
  ["npm run frob", "is no script of the package"],
  ["npm ci", "would fail without a word here"],
  ["npm install @authz/frob", "not on npm or not published: @authz/frob"],
  ["npm install @authz/contract-tests", "not on npm or not published: @authz/contract-tests"],
  ["node tools/frob.mjs", "is in no file"],
  ["sudo cp deploy/frob /etc", "deploy/frob does not exist"],
  ["sh -c 'umask 077; authz frob > x'", "authz does not know frob"],
])("%s would not pass: %s", (line, mistake) => {
  const found = readCommandLines(line).map(
    (command) => check({ ...command, path: "README.md", place: "" }) ?? findMissingFile(command.words),
  );
  expect(found.filter((one) => one !== undefined)).toEqual([mistake]);
});

test("no page runs a package under a name that we do not publish", () => {
  // The owner of such a name would decide what runs.
  const files = spawnSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], {
    cwd: root,
  });
  const read = files.stdout
    .toString()
    .split("\0")
    .filter((path) => /\.(md|ya?ml|tsx?|mjs|tpl|txt|service)$/.test(path) && !path.includes("/test/"));
  const told = read.flatMap((path) => {
    const text = readFileSync(join(root, path), "utf8");
    return [...text.matchAll(/\bnpx (?:--?[\w-]+ )*authz\b[\w-]*/g)].map(
      ([command]) => `${path}: ${command}`,
    );
  });
  expect(told).toEqual([]);
});

/** What is wrong with a command, or nothing. */
function check({ path, words }: Typed): string | undefined {
  const [program = "", ...rest] = words;
  const name = program.replace(/^\/opt\/[\w-]+\/bin\//, "");
  const own = programs.get(name);
  if (own !== undefined) return findMistake(own, rest);
  if (name === "authz-discovery-proxy") return rest.length === 0 ? undefined : "takes no arguments";
  if (name === "npm") return checkNpm(path, rest);
  if (name === "npx") return checkNpx(rest);
  if (name === "node") return checkScript(path, rest[0] ?? "");
  if (name === "docker") return checkDocker(rest);
  return postgresql.includes(name) ? checkPostgresql(name, rest) : undefined;
}

function checkNpm(path: string, [command = "", ...rest]: readonly string[]): string | undefined {
  if (command === "install") return checkPackages(rest.filter((word) => !word.startsWith("--")));
  if (command === "ci")
    return rest.includes("--loglevel=error") ? undefined : "would fail without a word here";
  const script = command === "run" ? rest[0] : command;
  const [, workspace] = /(?:^| )(?:-w|--workspace) (\S+)/.exec(rest.join(" ")) ?? [];
  const own = path.startsWith("examples/") ? dirname(path) : ".";
  const folder = workspace === undefined ? own : join("node_modules", workspace);
  const manifest = JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8")) as {
    scripts?: Record<string, string>;
  };
  return script !== undefined && script in (manifest.scripts ?? {})
    ? undefined
    : "is no script of the package";
}

/** Packages are ours and published, or among those that this repository or its website has from npm. */
function checkPackages(names: readonly string[]): string | undefined {
  const website = JSON.parse(readFileSync(join(root, "website/package.json"), "utf8")) as {
    devDependencies: Record<string, string>;
  };
  const missing = names.filter((name) => {
    if (name in website.devDependencies) return false;
    const file = join(root, "node_modules", name, "package.json");
    return (
      !existsSync(file) || (JSON.parse(readFileSync(file, "utf8")) as { private?: boolean }).private === true
    );
  });
  return missing.length === 0 ? undefined : `not on npm or not published: ${missing.join(", ")}`;
}

function checkNpx([program = "", ...rest]: readonly string[]): string | undefined {
  const own = programs.get({ "@authz/cli": "authz", "@authz/dev": "authz-dev" }[program] ?? "");
  if (own !== undefined) return findMistake(own, rest);
  return existsSync(join(root, "node_modules/.bin", program)) ? undefined : `no package here has ${program}`;
}

/** A script of the repository, or one that the same page has saved. */
function checkScript(path: string, script: string): string | undefined {
  const isThere = existsSync(join(root, script)) || readDocument(path).includes(`Save this as \`${script}\``);
  return isThere ? undefined : "is in no file";
}

function checkDocker([command = "", ...rest]: readonly string[]): string | undefined {
  if (!dockerCommands.includes(command)) return `docker ${command} is not known here`;
  if (command === "compose") return checkCompose(rest);
  if (command !== "run") return undefined;
  const image = rest.findIndex((word) => /\bauthz-server:/.test(word));
  return image === -1 ? undefined : checkInContainer("authz-server", rest.slice(image + 1));
}

function checkCompose(words: readonly string[]): string | undefined {
  const at = words.findIndex((word) => composeCommands.includes(word));
  if (at === -1) return "no such command of Compose is known here";
  const behind = words.slice(at + 1);
  const valued = new Set(["--volume", "--entrypoint"]);
  const first = behind.findIndex(
    (word, index) => !word.startsWith("-") && !valued.has(behind[index - 1] ?? ""),
  );
  const named = first === -1 ? [] : behind.slice(first);
  const command = words[at] ?? "";
  const asked = ["run", "exec"].includes(command) ? named.slice(0, 1) : named;
  const unknown = asked.find((service) => !(service in services));
  if (unknown !== undefined) return `compose.yaml has no ${unknown}`;
  const [service, ...inside] = named;
  if (command === "exec") return check({ path: "", place: "", variables: {}, words: inside });
  if (command !== "run" || service !== "server") return undefined;
  return checkInContainer(behind[behind.indexOf("--entrypoint") + 1] ?? "", inside);
}

/** What an image of the server is told behind its name, or behind another entry point. */
function checkInContainer(entryPoint: string, words: readonly string[]): string | undefined {
  const program = programs.get(entryPoint) ?? programs.get("authz-server");
  return program === undefined ? undefined : findMistake(program, words);
}

function checkPostgresql(program: string, words: readonly string[]): string | undefined {
  const help = spawnSync(program, ["--help"], { encoding: "utf8" });
  if (help.status !== 0) return undefined;
  const unknown = words
    .filter((word) => word.startsWith("--"))
    .find((word) => !new RegExp(`${word.split("=", 1)[0]}\\b`).test(help.stdout));
  return unknown === undefined ? undefined : `${program} has no ${unknown}`;
}

/** Paths below the folders of the repository are those of files. */
function findMissingFile(words: readonly string[]): string | undefined {
  const own = /^(?:deploy|docs|examples|packages|proxy|reference-server|tools)\//;
  const missing = words.find((word) => own.test(word) && !existsSync(join(root, word)));
  return missing === undefined ? undefined : `${missing} does not exist`;
}
