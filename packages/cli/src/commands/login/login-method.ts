import type { AuthzClient } from "@authz/client";
import type { Runtime } from "../../runtime.js";

/** Which way the person asked for, if any. */
export interface LoginMethodOptions {
  /** `--browser`, `--no-browser`, or neither. */
  browser?: boolean;
  device?: boolean;
}

/**
 * How the person signs in: a browser opens here; they open the printed address here; or they type a code on another device, and `why`
 * says what decided that when they did not.
 */
export type LoginMethod = { kind: "browser" | "address" } | { kind: "device"; why: string | undefined };

/** Takes the way that was asked for. Otherwise a browser where there is one, and a code where there is none. */
export async function chooseLoginMethod(
  client: AuthzClient,
  { browser, device }: LoginMethodOptions,
  runtime: Runtime,
): Promise<LoginMethod> {
  if (device === true) return { kind: "device", why: undefined };
  if (browser !== undefined) return { kind: browser ? "browser" : "address" };
  const why = browserProblem(runtime);
  if (why === undefined) return { kind: "browser" };
  return (await client.offersDeviceLogin()) ? { kind: "device", why } : { kind: "address" };
}

/** Why no browser can open in front of the person; undefined when one can. */
export function browserProblem({ env, platform }: Pick<Runtime, "env" | "platform">): string | undefined {
  const has = (...names: string[]): boolean => names.some((name) => (env[name] ?? "") !== "");
  // With `BROWSER` there is one, also at the other end of an SSH session (editors set it).
  if (has("BROWSER")) return undefined;
  if (has("SSH_CONNECTION", "SSH_CLIENT", "SSH_TTY")) return "this is an SSH session";
  if (platform === "darwin" || platform === "win32" || has("WSL_DISTRO_NAME")) return undefined;
  return has("DISPLAY", "WAYLAND_DISPLAY") ? undefined : "this computer has no display";
}

/** Opens an address in the browser of this computer. */
export async function openBrowser(url: string): Promise<void> {
  const { default: open } = await import("open");
  const child = await open(url);
  // A missing opener is no failure: the address is on the screen.
  child.on("error", () => undefined);
}
