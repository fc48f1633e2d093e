import type { Parameters } from "../../protocol/parameters.js";
import { shortText } from "../../text/short-text.js";

/** More is no name. */
const mostCharacters = 80;

/**
 * What a client calls the device that it runs on, such as "ada-laptop (macOS)", for people to recognize it by: the parameter
 * `device_name` of a token request. It decides nothing and nobody vouches for it, so a bad one is mended rather than refused.
 */
export function readDeviceName(parameters: Parameters): string | null {
  return cleanDeviceName(parameters.get("device_name") ?? "");
}

/** `null` when nothing is left that can be seen. */
export function cleanDeviceName(text: string): string | null {
  return shortText(text, mostCharacters) ?? null;
}
