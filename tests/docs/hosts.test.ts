/** The pages about agent hosts print the lines of `@authz/agent-tools/hosts`. */
import { describe, expect, test } from "vitest";
import {
  fileText,
  agentHosts,
  remoteServer,
  type Setup,
} from "../../packages/agent-tools/src/hosts/index.js";
import { codeBlocks, readDocument } from "./markdown.js";

const address = "https://authz.example.com/mcp";
const pages: Readonly<Record<string, string>> = {
  "claude-code": "docs/hosts/claude-code.md",
  codex: "docs/hosts/codex.md",
  cursor: "docs/hosts/cursor.md",
  vscode: "docs/hosts/vs-code.md",
  copilot: "docs/hosts/copilot.md",
  opencode: "docs/hosts/opencode.md",
  gemini: "docs/hosts/gemini-cli.md",
  claude: "docs/hosts/claude.md",
  chatgpt: "docs/hosts/chatgpt.md",
};

/** All lines that configure a host: commands, file contents and form values. */
function linesOf({ command, signIn, file, form }: Setup): string[] {
  const typed = [command, signIn?.in === "shell" ? signIn.line : undefined].filter(
    (line) => line !== undefined,
  );
  const all = [typed.join("\n"), file && fileText(file).trimEnd(), form?.address];
  return all.filter((lines) => lines !== undefined && lines !== "") as string[];
}

test("every host has a page that the overview links", () => {
  expect(Object.keys(pages).sort()).toEqual(agentHosts.map(({ key }) => key).sort());
  const overview = readDocument("docs/hosts/README.md");
  for (const page of Object.values(pages))
    expect(overview).toContain(`(${page.slice("docs/hosts/".length)})`);
});

describe.each(agentHosts)("$name", ({ key, setup }) => {
  const page = pages[key] ?? "";
  const shown = setup("authz", remoteServer("https://authz.example.com"));
  const lines = shown === undefined ? [] : linesOf(shown);

  test("has all its lines on the page", () => {
    const text = readDocument(page);
    const missing = lines.filter(
      (one) => !text.includes(one.trim()) && !codeBlocks(page).some(({ code }) => code.trim() === one),
    );
    expect(missing).toEqual([]);
  });

  test("has no other line with the address on the page", () => {
    const known = lines.flatMap((one) => one.split("\n")).map((line) => line.trim());
    const strange = codeBlocks(page)
      .flatMap(({ code }) => code.split("\n"))
      .map((line) => line.trim())
      .filter((line) => line.includes(address) && !known.includes(line));
    expect(strange).toEqual([]);
  });
});

test("the overview prints the commands of the source", () => {
  const commands = agentHosts.map(
    ({ setup }) => setup("authz", remoteServer("https://authz.example.com"))?.command,
  );
  const printed = [
    ...readDocument("docs/hosts/README.md").matchAll(/`([^`\n]* https:\/\/authz\.example\.com\/mcp)`/g),
  ];
  expect(printed.length).toBeGreaterThan(3);
  for (const [, command] of printed) expect(commands).toContain(command);
});
