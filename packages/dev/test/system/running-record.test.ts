import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { findRunning, forgetRunning, recordRunning } from "../../src/system/running-record.js";
import { defaultPorts, type SystemSettings } from "../../src/system/settings.js";

describe("the record of who runs the system", () => {
  let settings: SystemSettings;
  let file: string;

  beforeEach(() => {
    const stateDirectory = mkdtempSync(join(tmpdir(), "authz-running-"));
    settings = { stateDirectory, ports: defaultPorts, inherited: {} };
    file = join(settings.stateDirectory, "running.json");
  });

  afterEach(() => {
    rmSync(settings.stateDirectory, { recursive: true });
  });

  test("names this process until it is forgotten", () => {
    expect(findRunning(settings.stateDirectory)).toBeUndefined();
    recordRunning(settings, { ready: false });
    expect(findRunning(settings.stateDirectory)).toMatchObject({
      pid: process.pid,
      ready: false,
      issuer: "http://127.0.0.1:3000",
    });
    forgetRunning(settings.stateDirectory);
    expect(findRunning(settings.stateDirectory)).toBeUndefined();
  });

  test.runIf(process.platform === "linux")(
    "does not take a later process with the same number for it",
    () => {
      recordRunning(settings, { ready: true });
      const record = JSON.parse(readFileSync(file, "utf8")) as object;
      writeFileSync(file, JSON.stringify({ ...record, began: "1" }));
      expect(findRunning(settings.stateDirectory)).toBeUndefined();
    },
  );

  test("does not trust a broken file", () => {
    writeFileSync(file, "{");
    expect(findRunning(settings.stateDirectory)).toBeUndefined();
  });
});
