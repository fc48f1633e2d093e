/** Runs the printed commands that write an installation's secrets in an empty folder. */
import { execFileSync, spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { generateSecrets } from "../../reference-server/src/commands/generate-secrets.js";
import { printedBlocks, typeBlock } from "./printed-blocks.js";
import { listDocuments, readDocument, root } from "./markdown.js";

const inComments = readFileSync(join(root, "compose.yaml"), "utf8")
  .split("\n")
  .map((line) => ({ path: "compose.yaml", line: line.replace(/^# +/, "") }));
const printed = [
  ...printedBlocks().flatMap(({ path, commands }) => commands.map((line) => ({ path, line }))),
  ...inComments,
].filter(({ line }) => / secrets > \.env/.test(line));

let folder: string;
let work: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "authz-docs-"));
  work = join(folder, "work");
  mkdirSync(join(folder, "bin"));
  mkdirSync(work);
  const mv = execFileSync("sh", ["-c", "command -v mv"]).toString().trim();
  symlinkSync(mv, join(folder, "bin/mv"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Runs the command of a page, or of the comments in `compose.yaml`. */
async function typeAsPrinted({ path, line }: (typeof printed)[number]): Promise<number | null> {
  if (path === "compose.yaml") return type(line);
  const [status = null] = await typeBlock(path, "(umask 077; docker run", async (command) => type(command));
  return status;
}

/** Runs a line with only `mv` and, once installed, `docker` in the path. */
function type(line: string): number | null {
  const options = { cwd: work, env: { PATH: join(folder, "bin") }, input: "", encoding: "utf8" } as const;
  return spawnSync("/bin/sh", ["-c", line], options).status;
}

/** A `docker` that prints the server's secrets. */
async function installDocker(): Promise<string> {
  const secrets = await generateSecrets("env");
  const script = `#!/bin/sh\nwhile IFS= read -r line; do printf '%s\\n' "$line"; done <<'SECRETS'\n${secrets}SECRETS\n`;
  writeFileSync(join(folder, "bin/docker"), script, { mode: 0o755 });
  return secrets;
}

it("finds the commands of compose.yaml and two pages", () => {
  expect(printed.map(({ path }) => path).sort()).toEqual([
    "compose.yaml",
    "docs/operate/compose.md",
    "reference-server/README.md",
  ]);
});

describe.each(printed)("the command in $path", (command) => {
  it("leaves no empty .env without Docker", async () => {
    expect(await typeAsPrinted(command)).not.toBe(0);
    expect(existsSync(join(work, ".env"))).toBe(false);
  });

  it("writes a file that only its owner can read", async () => {
    const secrets = await installDocker();
    expect(await typeAsPrinted(command)).toBe(0);
    expect(readFileSync(join(work, ".env"), "utf8")).toBe(secrets);
    expect(statSync(join(work, ".env")).mode & 0o777).toBe(0o600);
  });

  it("keeps an existing .env", async () => {
    await installDocker();
    writeFileSync(join(work, ".env"), "AUTHZ_ISSUER=https://auth.example.com\n");
    await typeAsPrinted(command);
    expect(readFileSync(join(work, ".env"), "utf8")).toBe("AUTHZ_ISSUER=https://auth.example.com\n");
  });
});

it("the lines for Compose are appended, with a random password", async () => {
  writeFileSync(join(work, ".env"), "AUTHZ_SETUP_TOKEN=one\n");
  for (const program of ["cat", "openssl"]) {
    const found = execFileSync("sh", ["-c", `command -v ${program}`])
      .toString()
      .trim();
    symlinkSync(found, join(folder, "bin", program));
  }
  await typeBlock("docs/operate/compose.md", "cat >> .env", async (line) => expect(type(line)).toBe(0));
  const [kept, project, password, ...images] = readFileSync(join(work, ".env"), "utf8").trimEnd().split("\n");
  expect(kept).toBe("AUTHZ_SETUP_TOKEN=one");
  expect(project).toBe("COMPOSE_PROJECT_NAME=authz");
  expect(password).toMatch(/^POSTGRES_PASSWORD=[\da-f]{48}$/);
  const compose = readFileSync(join(root, "compose.yaml"), "utf8");
  expect(images).toHaveLength(2);
  for (const line of images) expect(compose).toContain(`\${${line.split("=", 1)[0]}`);
});

it("no page redirects secrets into a file that a failure would empty", () => {
  const risky = listDocuments().filter((path) =>
    / secrets\b[^\n]*(?:> \.env[ )\n]|\| *sudo install)/.test(readDocument(path)),
  );
  expect(risky).toEqual([]);
});
