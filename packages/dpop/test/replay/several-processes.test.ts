import { expect, test } from "vitest";
import { isClusterWorker, warnAboutSeveralProcesses } from "../../src/replay/several-processes.js";

test("an ordinary process is no cluster worker", () => {
  expect(isClusterWorker()).toBe(false);
});

test("the warning comes once, with a code and the way out", async () => {
  const warnings: Error[] = [];
  const listener = (warning: Error): void => {
    warnings.push(warning);
  };
  process.on("warning", listener);
  warnAboutSeveralProcesses();
  warnAboutSeveralProcesses();
  await new Promise((resolve) => setImmediate(resolve));
  process.off("warning", listener);
  expect(warnings).toEqual([
    expect.objectContaining({ name: "AuthzWarning", code: "AUTHZ_REPLAY_IN_MEMORY" }),
  ]);
  expect(warnings[0]?.message).toContain("@authz/replay-postgres");
});
