import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ReadableError } from "../../src/readable-error.js";
import { prepareStateDirectory, stateDirectoryOf } from "../../src/system/state-directory.js";

describe("the folder of a system", () => {
  let folder: string;
  let project: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "authz-state-"));
    project = join(folder, "my project");
    mkdirSync(project);
  });

  afterEach(() => {
    rmSync(folder, { recursive: true });
  });

  const of = (path: string) => stateDirectoryOf(path, { XDG_STATE_HOME: "/state" }, "/home/ada");

  test("is below the user's own state folder, and named after the project's path", () => {
    expect(dirname(of(project))).toBe("/state/authz-dev");
    expect(basename(of(project))).toMatch(/^my-project-[0-9a-f]{16}$/);
    expect(of(project)).not.toBe(of(folder));
    expect(of(join(folder, "not there yet"))).toMatch(/not-there-yet-/);
  });

  test("is the same when the project is reached through a link", () => {
    symlinkSync(project, join(folder, "link"));
    expect(of(join(folder, "link"))).toBe(of(project));
  });

  test.each(["", "state", "./state"])(
    "does not follow XDG_STATE_HOME=%j into the working folder",
    (named) => {
      const place = stateDirectoryOf(project, { XDG_STATE_HOME: named }, "/home/ada");
      expect(place).toMatch(/^\/home\/ada\/(?:\.local\/state|Library\/Application Support)\/authz-dev\//);
    },
  );

  test("is made for its owner only, and found again", () => {
    const place = join(folder, "state", "authz-dev", "one");
    prepareStateDirectory(place);
    expect(() => prepareStateDirectory(place)).not.toThrow();
  });

  test.each([
    ["a link", (place: string) => symlinkSync(project, place)],
    [
      "a folder that others can write to",
      (place: string) => {
        mkdirSync(place);
        chmodSync(place, 0o777);
      },
    ],
  ])("is refused when it is %s", (_what, make) => {
    const place = join(folder, "state");
    make(place);
    expect(() => prepareStateDirectory(place)).toThrow(ReadableError);
  });
});
