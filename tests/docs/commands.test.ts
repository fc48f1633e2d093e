/** Commands of ours in documents exist, with their options. Commands of other programs are checked only where they start one of ours. */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "commander";
import { beforeAll, expect, test } from "vitest";
import { parse } from "yaml";
import { nodeRuntime } from "../../packages/cli/src/index.js";
import { createProgram } from "../../packages/cli/src/program.js";
import { createDevProgram } from "../../packages/dev/src/index.js";
import { createMigrateProgram, createServerProgram } from "../../reference-server/src/main.js";
import { readCommandLines } from "./command-lines.js";
import { listDocuments, readDocument, root } from "./markdown.js";
import { printedBlocks } from "./printed-blocks.js";
import { findMistake } from "./programs.js";

/** Reads like a command, and is the info of a key derivation. */
const hashInfo = "authz audit seal";

const documents = listDocuments();
const programs = new Map<string, Command>();
const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { scripts: object };
const { services } = parse(readFileSync(join(root, "compose.yaml"), "utf8")) as { services: object };

beforeAll(async () => {
  const { root: authz } = await createProgram(nodeRuntime(), { json: false, agent: false, verbose: false });
  programs.set("authz", authz);
  programs.set("authz-dev", createDevProgram());
  programs.set("authz-server", createServerProgram());
  programs.set("authz-migrate", createMigrateProgram());
});

test.each(documents)("%s types commands that exist", (path) => {
  const lines = printedBlocks([path]).flatMap(({ commands }) => commands.flatMap(readCommandLines));
  const wrong = lines.flatMap(({ words }) => {
    const mistake = findCommandMistake(words) ?? findMissingFile(words);
    return mistake === undefined ? [] : [`${words.join(" ")}: ${mistake}`];
  });
  expect(wrong).toEqual([]);
});

test("commands within sentences have names and options that exist", () => {
  const wrong = documents.flatMap((path) => {
    const spans = readDocument(path).matchAll(
      /`((?:npx @authz\/(?:cli|dev)|authz(?:-server|-migrate)?|npm run) [^`…\n]+)`/g,
    );
    return [...spans].flatMap(([, span = ""]) => {
      if (span === hashInfo) return [];
      const plain = span.replaceAll(/<([\w.]+)>/g, "$1").replaceAll(/[[\]]|\.{3}/g, "");
      const mistakes = readCommandLines(plain).map(({ words }) => findCommandMistake(words));
      // A sentence may leave out a required argument or option.
      const wrongName = mistakes.find((mistake) =>
        /does not know|has no option|no script/.test(mistake ?? ""),
      );
      return wrongName === undefined ? [] : [`${path}: ${span}: ${wrongName}`];
    });
  });
  expect(wrong).toEqual([]);
});

test.each([
  ["authz frob", "authz does not know frob"],
  ["authz login --isuer https://a.example", "login has no option --isuer"],
  ["npx @authz/dev register", "register needs 1 arguments"],
  ["authz-server secrets --format yaml", "--format cannot be yaml"],
  ["authz-server apply", "apply needs --file"],
  ["authz-server accept POSTGRES_URL", "not among the choices: POSTGRES_URL"],
  ["docker run --rm ghcr.io/authz/authz-server:X.Y.Z secret", "authz-server does not know secret"],
  ["docker compose run --rm server audit verfy", "audit does not know verfy"],
  ["docker compose exec servers authz-server audit verify", "compose.yaml has no servers"],
  ["npm run frob", "no script of the repository"],
  ["npm ci", "prints nothing when it fails, without --loglevel=error"],
  ["sudo cp deploy/frob /etc", "deploy/frob does not exist"],
  ["sh -c 'umask 077; authz frob > x'", "authz does not know frob"],
])("%s is reported: %s", (line, mistake) => {
  const found = readCommandLines(line).map(
    ({ words }) => findCommandMistake(words) ?? findMissingFile(words),
  );
  expect(found.filter((one) => one !== undefined)).toEqual([mistake]);
});

test("no page runs a package under a name that we do not publish", () => {
  // The owner of such a name would decide what runs.
  const options = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"];
  const files = execFileSync("git", options, { cwd: root }).toString().split("\0");
  const found = files
    .filter((path) => /\.(md|ya?ml|tsx?|mjs|tpl|txt|service)$/.test(path) && !path.includes("/test/"))
    .filter((path) => existsSync(join(root, path)))
    .flatMap((path) =>
      [...readDocument(path).matchAll(/\bnpx (?:--?[\w-]+ )*authz\b[\w-]*/g)].map(
        ([command]) => `${path}: ${command}`,
      ),
    );
  expect(found).toEqual([]);
});

/** What is wrong with a command of ours, or with the start of one. */
function findCommandMistake([name = "", ...rest]: readonly string[]): string | undefined {
  const program = programs.get(name.replace(/^\/opt\/[\w-]+\/bin\//, ""));
  if (program !== undefined) return findMistake(program, rest);
  if (name === "npm") return findNpmMistake(rest);
  if (name === "npx") {
    const own = programs.get({ "@authz/cli": "authz", "@authz/dev": "authz-dev" }[rest[0] ?? ""] ?? "");
    return own === undefined ? undefined : findMistake(own, rest.slice(1));
  }
  if (name !== "docker") return undefined;
  if (rest[0] === "compose") return findComposeMistake(rest.slice(1));
  const image = rest.findIndex((word) => /\bauthz-server:/.test(word));
  return rest[0] === "run" && image !== -1 ? findMistakeInContainer("", rest.slice(image + 1)) : undefined;
}

function findNpmMistake([command = "", script = "", ...rest]: readonly string[]): string | undefined {
  if (command === "ci")
    return [script, ...rest].includes("--loglevel=error")
      ? undefined
      : "prints nothing when it fails, without --loglevel=error";
  return command !== "run" || script in scripts || rest.includes("-w")
    ? undefined
    : "no script of the repository";
}

function findComposeMistake(words: readonly string[]): string | undefined {
  const at = words.findIndex((word) => word === "run" || word === "exec");
  if (at === -1) return undefined;
  const options = new Set(["--volume", "--entrypoint"]);
  const behind = words.slice(at + 1);
  const service = behind.findIndex(
    (word, index) => !word.startsWith("-") && !options.has(behind[index - 1] ?? ""),
  );
  const name = behind[service] ?? "";
  if (!(name in services)) return `compose.yaml has no ${name}`;
  const inside = behind.slice(service + 1);
  if (words[at] === "exec") return findCommandMistake(inside);
  return name === "server"
    ? findMistakeInContainer(behind[behind.indexOf("--entrypoint") + 1] ?? "", inside)
    : undefined;
}

/** The image of the server starts `authz-server`, unless another entry point is named. */
function findMistakeInContainer(entryPoint: string, words: readonly string[]): string | undefined {
  const program = programs.get(entryPoint) ?? programs.get("authz-server");
  return program === undefined ? undefined : findMistake(program, words);
}

/** Paths below the folders of the repository are those of files. */
function findMissingFile(words: readonly string[]): string | undefined {
  const own = /^(?:deploy|docs|examples|packages|proxy|reference-server|tools)\//;
  const missing = words.find((word) => own.test(word) && !existsSync(join(root, word)));
  return missing === undefined ? undefined : `${missing} does not exist`;
}
