import type { AuthzClient } from "@authz/client";
import type { Surroundings } from "../../surroundings.js";

/** Which way the person asked for, if any. */
export interface WayOptions {
  /** `--browser`, `--no-browser`, or neither. */
  browser?: boolean;
  device?: boolean;
}

/**
 * How the person signs in: a browser opens here; they open the printed address here; or they type a code on another device, and `why`
 * says what decided that when they did not.
 */
export type SignInWay = { kind: "browser" | "address" } | { kind: "device"; why: string | undefined };

/** Takes the way that was asked for. Otherwise a browser where there is one, and a code where there is none. */
export async function chooseWay(
  client: AuthzClient,
  { browser, device }: WayOptions,
  surroundings: Surroundings,
): Promise<SignInWay> {
  if (device === true) return { kind: "device", why: undefined };
  if (browser !== undefined) return { kind: browser ? "browser" : "address" };
  const why = browserProblem(surroundings);
  if (why === undefined) return { kind: "browser" };
  return (await client.offersDeviceLogin()) ? { kind: "device", why } : { kind: "address" };
}

/** Why no browser can open in front of the person; undefined when one can. */
export function browserProblem({
  env,
  platform,
}: Pick<Surroundings, "env" | "platform">): string | undefined {
  const has = (...names: string[]): boolean => names.some((name) => (env[name] ?? "") !== "");
  // Whoever names a browser has one, also at the other end of an SSH session (editors do so).
  if (has("BROWSER")) return undefined;
  if (has("SSH_CONNECTION", "SSH_CLIENT", "SSH_TTY")) return "this is an SSH session";
  if (platform === "darwin" || platform === "win32" || has("WSL_DISTRO_NAME")) return undefined;
  return has("DISPLAY", "WAYLAND_DISPLAY") ? undefined : "this computer has no display";
}
