import { dirname } from "node:path";
import { describe, expect, test } from "vitest";
import { originOf, readSettings } from "../../src/development/settings.js";
import { ReadableError } from "../../src/readable-error.js";

describe("readSettings", () => {
  test("uses the documented ports, and keeps nothing in the clone", () => {
    const settings = readSettings({ XDG_STATE_HOME: "/state" });
    expect(settings.ports).toEqual({
      server: 3000,
      idp: 3010,
      notes: 3020,
      express: 3101,
      koa: 3102,
      fastify: 3103,
      mcp: 3104,
      postgres: 54316,
    });
    expect(dirname(settings.stateDirectory)).toBe("/state/authz-dev");
    expect(originOf(settings, "server")).toBe("http://127.0.0.1:3000");
  });

  test("moves all ports and the folder", () => {
    const settings = readSettings({ AUTHZ_DEV_PORT_OFFSET: "1000", AUTHZ_DEV_DIR: "/tmp/elsewhere" });
    expect(settings.ports).toMatchObject({ server: 4000, fastify: 4103, postgres: 55316 });
    expect(settings.stateDirectory).toBe("/tmp/elsewhere");
  });

  test("passes on nothing of the environment that could change what the parts do", () => {
    const { inherited } = readSettings({
      LANG: "C",
      PATH: "/repository/node_modules/.bin",
      NODE_OPTIONS: "--inspect",
      POSTGRES_URL: "x",
    });
    expect(inherited).toEqual({ LANG: "C", HOME: undefined, TMPDIR: undefined });
  });

  test("refuses an offset that leads to a port which no browser opens, and names another one", () => {
    expect(() => readSettings({ AUTHZ_DEV_PORT_OFFSET: "3000" })).toThrow(/port 6000[^]*such as 3100/);
  });

  test.each(["ten", "-1", "1.5", "11220", "99999"])("refuses the offset %s", (offset) => {
    expect(() => readSettings({ AUTHZ_DEV_PORT_OFFSET: offset })).toThrow(ReadableError);
  });
});
