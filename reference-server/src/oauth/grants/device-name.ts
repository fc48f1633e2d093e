import type { Parameters } from "../../protocol/parameters.js";

/** More is no name. */
const mostCharacters = 80;

/** Controls, and what takes no ink or no place: also blank letters, such as U+3164 and U+2800. */
const unseen = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/gu;

/**
 * What a client calls the device that it runs on, such as "ada-laptop (macOS)", for people to recognize it by: the parameter
 * `device_name` of a token request. It decides nothing and nobody vouches for it, so a bad one is mended rather than refused.
 */
export function readDeviceName(parameters: Parameters): string | null {
  return cleanDeviceName(parameters.get("device_name") ?? "");
}

/** Without what cannot be seen or changes the direction of what stands beside it; `null` when nothing is left. */
export function cleanDeviceName(text: string): string | null {
  const visible = text.replaceAll(unseen, " ").replaceAll(/\s+/g, " ").trim();
  const cut = Array.from(visible).slice(0, mostCharacters).join("").trim();
  return cut === "" ? null : cut;
}
