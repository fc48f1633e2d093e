/** The printed commands that write the secrets of an installation: run in an empty folder, as a person would type them. */
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
import { codeBlocks, listDocuments, readDocument, root } from "./markdown.js";

const printed = [
  ...listDocuments()
    .flatMap(codeBlocks)
    .filter(({ language }) => language === "sh")
    .flatMap(({ path, code }) => code.split("\n").map((line) => ({ path, line }))),
  ...readFileSync(join(root, "compose.yaml"), "utf8")
    .split("\n")
    .map((line) => ({ path: "compose.yaml", line: line.replace(/^# +/, "") })),
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

/** Types a line where nothing but `mv` and, once it is installed, `docker` can be found. */
function type(line: string): number | null {
  const options = { cwd: work, env: { PATH: join(folder, "bin") }, input: "", encoding: "utf8" } as const;
  return spawnSync("/bin/sh", ["-c", line], options).status;
}

/** An engine that has the image: it prints what the server prints. */
async function installDocker(): Promise<string> {
  const secrets = await generateSecrets("env");
  const script = `#!/bin/sh\nwhile IFS= read -r line; do printf '%s\\n' "$line"; done <<'SECRETS'\n${secrets}SECRETS\n`;
  writeFileSync(join(folder, "bin/docker"), script, { mode: 0o755 });
  return secrets;
}

it("finds them where an installation begins", () => {
  expect(printed.map(({ path }) => path).sort()).toEqual([
    "compose.yaml",
    "docs/operate/compose.md",
    "reference-server/README.md",
  ]);
});

describe.each(printed)("the command in $path", ({ line }) => {
  it("leaves no empty .env when there is no Docker", () => {
    expect(type(line)).not.toBe(0);
    expect(existsSync(join(work, ".env"))).toBe(false);
  });

  it("writes a file that only its owner can read", async () => {
    const secrets = await installDocker();
    expect(type(line)).toBe(0);
    expect(readFileSync(join(work, ".env"), "utf8")).toBe(secrets);
    expect(statSync(join(work, ".env")).mode & 0o777).toBe(0o600);
  });

  it("replaces the keys of no installation without being told to", async () => {
    await installDocker();
    writeFileSync(join(work, ".env"), "AUTHZ_ISSUER=https://auth.example.com\n");
    type(line);
    expect(readFileSync(join(work, ".env"), "utf8")).toBe("AUTHZ_ISSUER=https://auth.example.com\n");
  });
});

it("no page sends secrets into a file that a failure would empty", () => {
  const risky = listDocuments().filter((path) =>
    / secrets\b[^\n]*(?:> \.env[ )\n]|\| *sudo install)/.test(readDocument(path)),
  );
  expect(risky).toEqual([]);
});
