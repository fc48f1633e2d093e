import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { readSettings } from "../../src/development/settings.js";
import { summaryText } from "../../src/development/summary.js";

const settings = readSettings({});

function commandsOf(text: string): string[] {
  return [...text.matchAll(/^ *((?:AUTHZ_TOKEN_STORE=file )?npx @authz\/cli .*)$/gm)].map(
    ([, command = ""]) => command,
  );
}

describe("what npm start prints at the end", () => {
  test("are three commands, and two for a third party, the same as in the guide", () => {
    const guide = readFileSync(join(settings.root, "docs/guides/first-run.md"), "utf8");
    const commands = commandsOf(summaryText(settings, { keyringWorks: true }));
    expect(commands).toHaveLength(5);
    expect(guide).toContain(commands.slice(0, 3).join("\n"));
    expect(guide).toContain(commands.slice(3).join("\n"));
  });

  test("keeps the session in a file where no keyring works, and says why", () => {
    const text = summaryText(settings, { keyringWorks: false });
    expect(commandsOf(text)[0]).toBe(
      "AUTHZ_TOKEN_STORE=file npx @authz/cli login --issuer http://127.0.0.1:3000",
    );
    expect(text).toContain("No keyring works on this computer");
  });

  test("has the line for an agent host, the same as in the guide", () => {
    const line = "claude mcp add --transport http acme http://127.0.0.1:3000/mcp";
    expect(summaryText(settings, { keyringWorks: true })).toContain(`\n    ${line}\n`);
    expect(readFileSync(join(settings.root, "docs/guides/first-run.md"), "utf8")).toContain(line);
  });

  test("leads to the console, and says as whom", () => {
    expect(summaryText(settings, { keyringWorks: true })).toContain(
      "Open http://127.0.0.1:3000/admin and sign in as Bruno Keller",
    );
  });

  test("fits into an ordinary terminal", () => {
    const lines = summaryText(settings, { keyringWorks: false }).split("\n");
    expect(lines.filter((line) => line.length > 95)).toEqual([]);
  });
});
