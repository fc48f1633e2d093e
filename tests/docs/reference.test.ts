/** Generated reference pages match the code. */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { textsIn } from "../../reference-server/src/text/texts.js";
import { auditedCures } from "../../reference-server/test/documentation/audited-cures.js";
import { loggedReasons } from "../../reference-server/test/documentation/logged-reasons.js";
import { root } from "./markdown.js";
import { eventsPage, readEvents } from "./reference/events-page.js";
import { operationsPage } from "./reference/operations-page.js";
import { reasonsPage } from "./reference/reasons-page.js";

test.each([
  ["reasons.md", reasonsPage],
  ["events.md", eventsPage],
  ["admin-api-operations.md", operationsPage],
])("docs/reference/%s is up to date", async (name, render) => {
  await expect(render()).toMatchFileSnapshot(join(root, "docs/reference", name));
});

test("every event has members and a sentence", () => {
  const events = readEvents();
  expect(events.length).toBeGreaterThan(60);
  expect(events.filter(({ members }) => members.length === 0)).toEqual([]);
  const { has } = textsIn("en");
  expect(events.filter(({ type }) => !has(`audit.events.${type}`))).toEqual([]);
});

describe("the reasons of the OAuth endpoints", () => {
  const options = ["ls-files", "-z", "reference-server/src"];
  const sources = execFileSync("git", options, { cwd: root }).toString().split("\0");
  const code = sources
    .filter((path) => path.endsWith(".ts"))
    .map((path) => readFileSync(join(root, path), "utf8"))
    .join("\n");
  const thrown = new Set(
    [
      ...code.matchAll(/new OAuthError\(\s*"\w+",\s*"(\w+)"/g),
      ...code.matchAll(/\binvalid(?:Grant|Client|Token)\(\s*"(\w+)"/g),
    ].map(([, reason = ""]) => reason),
  );

  test("have a cause and a cure", () => {
    expect(thrown.size).toBeGreaterThan(60);
    const known = new Set([...Object.keys(auditedCures), ...Object.keys(loggedReasons)]);
    expect([...thrown].filter((reason) => !known.has(reason))).toEqual([]);
  });

  test("have them in one table only", () => {
    expect(Object.keys(loggedReasons).filter((reason) => reason in auditedCures)).toEqual([]);
  });

  test("are all in use", () => {
    expect(Object.keys(loggedReasons).filter((reason) => !code.includes(`"${reason}"`))).toEqual([]);
  });
});
