import { expect, it } from "vitest";
import { nodeRuntime } from "../../src/index.js";
import { pathsFor } from "../../src/profile/config.js";

// Slashes, because the tests run on Unix; the folders are what counts.
const home = "/home/ada";
const xdg = (config: string, state: string, cache: string) => ({
  XDG_CONFIG_HOME: config,
  XDG_STATE_HOME: state,
  XDG_CACHE_HOME: cache,
});
const linux = [`${home}/.config/authz`, `${home}/.local/state/authz`, `${home}/.cache/authz`] as const;
const support = `${home}/Library/Application Support/authz`;
const caches = `${home}/Library/Caches/authz`;
const windows = { APPDATA: "/roaming", LOCALAPPDATA: "/local" };
const local = `${home}/AppData/Local/authz`;

it.each<
  [
    name: string,
    platform: NodeJS.Platform,
    env: Record<string, string>,
    folders: readonly [config: string, state: string, cache: string],
  ]
>([
  ["Linux", "linux", {}, linux],
  ["Linux with the XDG variables", "linux", xdg("/c", "/s", "/k"), ["/c/authz", "/s/authz", "/k/authz"]],
  ["Linux with empty XDG variables", "linux", xdg("", "", ""), linux],
  ["macOS", "darwin", {}, [support, support, caches]],
  ["macOS with an XDG variable", "darwin", { XDG_STATE_HOME: "/s" }, [support, "/s/authz", caches]],
  ["Windows", "win32", windows, ["/roaming/authz", "/local/authz", "/local/authz/cache"]],
  ["Windows without its variables", "win32", {}, [`${home}/AppData/Roaming/authz`, local, `${local}/cache`]],
  [
    "Windows with an XDG variable",
    "win32",
    { ...windows, XDG_CONFIG_HOME: "/c" },
    ["/c/authz", "/local/authz", "/local/authz/cache"],
  ],
])("the folders of the command are the usual ones on %s", (_name, platform, env, [config, state, cache]) => {
  expect(pathsFor({ ...nodeRuntime(), platform, env, home })).toEqual({ config, state, cache });
});
