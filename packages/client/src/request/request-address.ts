import { isSecureOrLoopback } from "../answer-fields.js";
import { AuthzClientError } from "../errors.js";

const MAX_DECODINGS = 4;

/**
 * Reads the address of a request and refuses spellings that two programs could read differently.
 *
 * A prefix protects nothing if the service resolves `%2e%2e%2f` after we compared it. So the path is decoded until nothing
 * changes, and whatever then climbs, or cannot be decoded, is refused. Plain dot segments are resolved, as everywhere.
 *
 * @throws {AuthzClientError} `invalid_request`
 */
export function parseRequestAddress(text: string): URL {
  if (hasInvisible(text) || text.includes("\\"))
    throw refusedAddress(text, "It contains a space, a backslash or an invisible character.");
  if (!URL.canParse(text)) throw refusedAddress(text, "It is not an absolute address.");
  const url = new URL(text);
  if (!isSecureOrLoopback(url))
    throw refusedAddress(text, "Credentials travel over https only; plain http works on this computer.");
  if (url.username !== "" || url.password !== "")
    throw refusedAddress(text, "It contains a user name or a password.");
  for (const segment of url.pathname.split("/")) {
    const problem = segmentProblem(segment);
    if (problem !== undefined) throw refusedAddress(text, problem);
  }
  url.hash = "";
  return url;
}

function segmentProblem(segment: string): string | undefined {
  let decoded = segment;
  for (let round = 0; round <= MAX_DECODINGS; round += 1) {
    if (hasInvisible(decoded.replaceAll(" ", ""))) return "Its path contains an encoded control character.";
    if (decoded.split(/[/\\]/).some(climbs)) return "Its path climbs with encoded dots.";
    let next: string;
    try {
      next = decodeURIComponent(decoded);
    } catch {
      // A stray percent sign in the text that was typed is a mistake. One that decoding brought to light is just a percent sign.
      return round === 0 ? "Its path is not valid percent-encoding." : undefined;
    }
    if (next === decoded) return undefined;
    decoded = next;
  }
  return "Its path is encoded more than four times over.";
}

/** `..` and `.`, also with the path parameters that some servers cut off (`..;x`). */
function climbs(part: string): boolean {
  return /^\.{1,2}(?:;|$)/.test(part);
}

function hasInvisible(text: string): boolean {
  return /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]/u.test(text);
}

function refusedAddress(text: string, why: string): AuthzClientError {
  return new AuthzClientError("invalid_request", {
    what: `The address "${text}" is refused.`,
    why,
    hint: "Write it out plainly, like https://contracts.example.com/api/contracts",
  });
}
