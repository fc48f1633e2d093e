import { hostname } from "node:os";
import process from "node:process";

const systems: Readonly<Record<string, string>> = { darwin: "macOS", linux: "Linux", win32: "Windows" };

/** What this computer is called, for people to recognize it by: "ada-laptop (macOS)". */
function defaultDeviceName(): string {
  const system = systems[process.platform] ?? process.platform;
  // What a home network appends says nothing.
  const name = hostname().replace(/\.(?:local|lan|home|fritz\.box)$/i, "");
  return name === "" ? system : `${name} (${system})`;
}

/** Of a token request: it is left out when the caller wants no name. */
export function deviceNameOf({
  deviceName = defaultDeviceName(),
}: {
  deviceName?: string;
}): string | undefined {
  return deviceName === "" ? undefined : deviceName;
}
