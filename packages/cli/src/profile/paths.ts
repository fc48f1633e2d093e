import { join } from "node:path";
import type { Runtime } from "../runtime.js";

/** Where the command keeps things. The XDG variables work on every platform. */
export interface Paths {
  config: string;
  state: string;
  cache: string;
}

/** The folders for this platform (XDG, Application Support, AppData). */
export function pathsFor({ env, platform, home }: Runtime): Paths {
  const folder = (variable: string, otherwise: string): string => {
    const value = env[variable];
    return join(value === undefined || value === "" ? otherwise : value, "authz");
  };
  if (platform === "win32") {
    const roaming = env.APPDATA ?? join(home, "AppData", "Roaming");
    const local = env.LOCALAPPDATA ?? join(home, "AppData", "Local");
    return {
      config: folder("XDG_CONFIG_HOME", roaming),
      state: folder("XDG_STATE_HOME", local),
      cache: join(folder("XDG_CACHE_HOME", local), "cache"),
    };
  }
  if (platform === "darwin") {
    const support = join(home, "Library", "Application Support");
    return {
      config: folder("XDG_CONFIG_HOME", support),
      state: folder("XDG_STATE_HOME", support),
      cache: folder("XDG_CACHE_HOME", join(home, "Library", "Caches")),
    };
  }
  return {
    config: folder("XDG_CONFIG_HOME", join(home, ".config")),
    state: folder("XDG_STATE_HOME", join(home, ".local", "state")),
    cache: folder("XDG_CACHE_HOME", join(home, ".cache")),
  };
}
