/** Runs the commands of the operator's pages as printed, with the server's environment. */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { keySet, keySetPath, startUpstream } from "../../proxy/test/support/upstream.js";
import { createEmptyDatabase, type TestDatabase } from "../../reference-server/test/support/database.js";
import { testEnvironment } from "../../reference-server/test/support/environment.js";
import { commandScript } from "../../reference-server/test/support/processes.js";
import { findFreePort } from "../../tools/src/network/ports.js";
import { runTool } from "../packaging/pack.js";
import { end } from "./empty-computer.js";
import { printedBlocks, typeBlock } from "./printed-blocks.js";
import { codeBlocks, root } from "./markdown.js";

const rotateKeys = "docs/operate/rotate-keys.md";
const folder = mkdtempSync(join(tmpdir(), "authz-operator-"));
const path = `${join(folder, "bin")}:${join(root, "node_modules/.bin")}:${process.env["PATH"] ?? ""}`;

let database: TestDatabase;

beforeAll(async () => {
  mkdirSync(join(folder, "bin"));
  const program = `#!/bin/sh\nexec "${process.execPath}" "${commandScript()}" authz-server "$@"\n`;
  writeFileSync(join(folder, "bin/authz-server"), program, { mode: 0o755 });
  database = await createEmptyDatabase();
});
afterAll(async () => {
  await database.drop();
  rmSync(folder, { recursive: true, force: true });
});

function start(line: string, variables: NodeJS.ProcessEnv): ChildProcess {
  return spawn("sh", ["-c", line], { cwd: folder, env: { PATH: path, ...variables }, detached: true });
}

/** Runs a line and returns its standard output; fails when the line fails. */
async function type(line: string, variables: NodeJS.ProcessEnv = {}): Promise<string> {
  const child = spawn("sh", ["-c", line], {
    cwd: folder,
    env: { PATH: path, ...testEnvironment({ POSTGRES_URL: database.url }), ...variables },
  });
  const ended = once(child, "close") as Promise<[number | null]>;
  const [stdout, stderr, [status]] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  expect({ line, status, stderr: status === 0 ? "" : stderr }).toEqual({ line, status: 0, stderr: "" });
  return stdout;
}

/** Replaces ids, times and counts that differ between a page and this run. */
function withoutNames(printed: string): string {
  return printed
    .replaceAll(/[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/g, "KID")
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "TIME")
    .replaceAll(/env:[\da-f]{16}/g, "env:KEY")
    .replaceAll(/\b\d+ credentials/g, "N credentials");
}

/** Runs a block and returns commands and answers as the page shows them. */
async function typeAndShow(
  name: string,
  replace: (line: string) => string = (line) => line,
): Promise<string> {
  const shown = await typeBlock(rotateKeys, name, async (line) => `$ ${line}\n${await type(replace(line))}`);
  return shown.join("");
}

const shownKeys = codeBlocks(rotateKeys).map(({ code }) => withoutNames(code));
const kidIn = (words: string) => /[\da-f]{8}-[\da-f-]{27}/.exec(words)?.[0] ?? "";

describe("docs/operate/set-up.md", () => {
  it("installs the printed file in an empty database", async () => {
    const secret = join(folder, "oidc-client-secret");
    writeFileSync(secret, "s3cret\n");
    const file = codeBlocks("docs/operate/set-up.md").find(({ code }) => code.startsWith("# install.yaml"));
    const local = file?.code.replace("/run/secrets/oidc-client-secret", secret) ?? "";
    writeFileSync(join(folder, "install.yaml"), local);
    const [said] = await typeBlock("docs/operate/set-up.md", "authz-server install", (line) => type(line));
    expect(said).toContain("ada@acme.example");
  });
});

describe("docs/operate/rotate-keys.md", () => {
  let staged = "";

  it("stages a key and activates it after 15 minutes", async () => {
    const said = await typeAndShow("authz-server keys stage");
    expect(shownKeys).toContain(withoutNames(said));
    staged = kidIn(said);
    await database.query(
      "UPDATE signing_keys SET staged_at = staged_at - interval '15 minutes' WHERE kid = $1",
      [staged],
    );
    const activated = await typeAndShow("authz-server keys activate", (line) =>
      line.replace(kidIn(line), staged),
    );
    expect(shownKeys).toContain(withoutNames(activated));
  });

  it("replaces a leaked key at once", async () => {
    let fresh = "";
    const old = staged;
    const name = "authz-server keys stage\nauthz-server keys activate NEW_KID --emergency\n";
    const block = printedBlocks([rotateKeys]).find(({ commands }) => commands.join("\n").startsWith(name));
    await typeBlock(rotateKeys, block?.commands.join("\n") ?? name, async (line) => {
      const said = await type(line.replace("NEW_KID", fresh).replace("OLD_KID", old));
      if (fresh === "") fresh = kidIn(said);
    });
    const keys = await type("authz-server keys list");
    expect(keys).toMatch(new RegExp(`^${fresh} +active `, "m"));
    expect(keys).not.toMatch(new RegExp(`^${old} +(?:active|staged) `, "m"));
  });

  it("withdraws a staged key", async () => {
    const kid = kidIn(await type("authz-server keys stage"));
    await typeBlock(rotateKeys, "authz-server keys retire", (line) => type(line.replace("STAGED_KID", kid)));
    expect(await type("authz-server keys list")).not.toMatch(new RegExp(`^${kid} +staged `, "m"));
  });
});

describe("docs/operate/encryption-keys.md", () => {
  it("generates a key and re-wraps data keys with it", async () => {
    const page = "docs/operate/encryption-keys.md";
    const [key = ""] = await typeBlock(page, "openssl", (line) => type(line));
    expect(Buffer.from(key, "base64")).toHaveLength(32);
    const variables = {
      AUTHZ_CONNECTOR_KEK: key.trim(),
      AUTHZ_CONNECTOR_KEK_PREVIOUS: testEnvironment()["AUTHZ_CONNECTOR_KEK"],
    };
    await typeBlock(page, "authz-server encryption-keys rewrap", (line) => type(line, variables));
    await typeBlock(page, "authz-server encryption-keys status", (line) => type(line, variables));
  });
});

describe.each([
  { page: "docs/operate/backup.md", named: "authz-2026-11-20.dump" },
  { page: "docs/operate/upgrade.md", named: "authz-before-X.Y.Z.dump" },
])("a backup as in $page", ({ page, named }) => {
  let restored: TestDatabase;
  let otherVersion: string | undefined;

  beforeAll(async () => {
    restored = await createEmptyDatabase();
    const [found] = await database.query<{ version: string }>(
      "SELECT current_setting('server_version') AS version",
    );
    const program = spawnSync("pg_dump", ["--version"], { encoding: "utf8" }).stdout ?? "nothing";
    const client = /\(PostgreSQL\) (\d+)/.exec(program)?.[1] ?? "0";
    if (Number(client) !== Number.parseInt(found?.version ?? "", 10))
      otherVersion = `pg_dump must be of the version of PostgreSQL, ${found?.version}, and there is ${program}`;
  });
  afterAll(() => restored.drop());

  const dumps = () => readdirSync(folder).filter((file) => file.endsWith(".dump"));

  it("is restored into another database as printed", async ({ skip }) => {
    skip(otherVersion !== undefined, otherVersion);
    await typeBlock(page, "pg_dump", (line) => type(line));
    const [dump = ""] = dumps();
    const there = { POSTGRES_URL: restored.url };
    await typeBlock(page, "pg_restore", (line) => type(line.replace(named, dump), there));
    expect(await type("authz-server audit verify", there)).toContain("The audit trail is intact.");
    rmSync(join(folder, dump));
  });
});

describe("docs/operate/backup.md, after a restore", () => {
  it("records the restore", async () => {
    await typeBlock("docs/operate/backup.md", "authz-server after-restore", (line) => type(line));
    const events = await database.query<{ type: string }>("SELECT type FROM audit_events ORDER BY id DESC");
    expect(events.map((event) => event.type)).toContain("installation.restored");
  });
});

describe("proxy/README.md", () => {
  it("starts the proxy, which forwards to the named server", async () => {
    await runTool("tsc", ["-b", "proxy"]);
    const upstream = await startUpstream();
    writeFileSync(join(folder, "ca.pem"), upstream.ca);
    const port = await findFreePort();
    const variables = { AUTHZ_UPSTREAM_CA_FILE: join(folder, "ca.pem"), AUTHZ_PROXY_PORT: String(port) };
    let proxy: ChildProcess | undefined;
    try {
      await typeBlock("proxy/README.md", "AUTHZ_UPSTREAM=", async (line) => {
        proxy = start(line.replace("https://auth.example.com", upstream.origin), variables);
      });
      const answer = await vi.waitUntil(
        () => {
          if (proxy?.exitCode !== null) throw new Error("It ended.");
          return fetch(`http://127.0.0.1:${port}${keySetPath}`).catch(() => undefined);
        },
        { timeout: 60_000, interval: 100 },
      );
      expect(await answer.text()).toBe(keySet);
    } finally {
      await end(proxy);
      await upstream.close();
    }
  });
});
