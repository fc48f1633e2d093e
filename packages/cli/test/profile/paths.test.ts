import { describe, expect, it } from "vitest";
import { nodeRuntime } from "../../src/index.js";
import { pathsFor } from "../../src/profile/config.js";

interface Place {
  name: string;
  platform: NodeJS.Platform;
  env: Record<string, string>;
  paths: { config: string; state: string; cache: string };
}

const HOME = "/home/ada";

// Slashes, because the tests run on Unix; the folders are what counts.
const places: Place[] = [
  {
    name: "Linux",
    platform: "linux",
    env: {},
    paths: {
      config: "/home/ada/.config/authz",
      state: "/home/ada/.local/state/authz",
      cache: "/home/ada/.cache/authz",
    },
  },
  {
    name: "Linux with the XDG variables",
    platform: "linux",
    env: { XDG_CONFIG_HOME: "/c", XDG_STATE_HOME: "/s", XDG_CACHE_HOME: "/k" },
    paths: { config: "/c/authz", state: "/s/authz", cache: "/k/authz" },
  },
  {
    name: "Linux with empty XDG variables",
    platform: "linux",
    env: { XDG_CONFIG_HOME: "", XDG_STATE_HOME: "", XDG_CACHE_HOME: "" },
    paths: {
      config: "/home/ada/.config/authz",
      state: "/home/ada/.local/state/authz",
      cache: "/home/ada/.cache/authz",
    },
  },
  {
    name: "macOS",
    platform: "darwin",
    env: {},
    paths: {
      config: "/home/ada/Library/Application Support/authz",
      state: "/home/ada/Library/Application Support/authz",
      cache: "/home/ada/Library/Caches/authz",
    },
  },
  {
    name: "macOS with an XDG variable",
    platform: "darwin",
    env: { XDG_STATE_HOME: "/s" },
    paths: {
      config: "/home/ada/Library/Application Support/authz",
      state: "/s/authz",
      cache: "/home/ada/Library/Caches/authz",
    },
  },
  {
    name: "Windows",
    platform: "win32",
    env: { APPDATA: "/roaming", LOCALAPPDATA: "/local" },
    paths: { config: "/roaming/authz", state: "/local/authz", cache: "/local/authz/cache" },
  },
  {
    name: "Windows without its variables",
    platform: "win32",
    env: {},
    paths: {
      config: "/home/ada/AppData/Roaming/authz",
      state: "/home/ada/AppData/Local/authz",
      cache: "/home/ada/AppData/Local/authz/cache",
    },
  },
  {
    name: "Windows with an XDG variable",
    platform: "win32",
    env: { XDG_CONFIG_HOME: "/c", APPDATA: "/roaming", LOCALAPPDATA: "/local" },
    paths: { config: "/c/authz", state: "/local/authz", cache: "/local/authz/cache" },
  },
];

describe("the folders of the command", () => {
  for (const { name, platform, env, paths } of places) {
    it(`are the usual ones on ${name}`, () => {
      expect(pathsFor({ ...nodeRuntime(), platform, env, home: HOME })).toEqual(paths);
    });
  }
});
