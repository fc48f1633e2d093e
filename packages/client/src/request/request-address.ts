import { AuthzClientError } from "../errors.js";
import { isSecureOrLoopback } from "../transport/json-fields.js";

const maxDecodings = 4;

/**
 * Reads the address of a request and refuses spellings that two programs could read differently.
 *
 * A prefix protects nothing if the service resolves `%2e%2e%2f` after we compared it. So the path is decoded until nothing
 * changes, and refuses what then climbs or cannot be decoded. Plain dot segments are resolved, as everywhere.
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
  if (!isPercentEncoded(segment)) return "Its path is not valid percent-encoding.";
  let decoded = segment;
  for (let round = 0; round <= maxDecodings; round += 1) {
    if (hasInvisible(decoded.replaceAll(" ", ""))) return "Its path contains an encoded control character.";
    if (decoded.split(/[/\\]/).some(climbs)) return "Its path climbs with encoded dots.";
    const next = decodeAscii(decoded);
    if (next === decoded) return undefined;
    decoded = next;
  }
  return "Its path is encoded more than four times over.";
}

function isPercentEncoded(segment: string): boolean {
  try {
    decodeURIComponent(segment);
    return true;
  } catch {
    return false;
  }
}

/** Decodes what it can, as a lenient server would, and leaves the rest: a stray percent sign must not hide what is beside it. */
function decodeAscii(text: string): string {
  return text.replace(/%([0-7][\da-f])/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}

/** `..` and `.`, also with the path parameters that some servers cut off (`..;x`). */
function climbs(part: string): boolean {
  return /^\.{1,2}(?:;|$)/.test(part);
}

/** What is visible in ASCII is settled first: the first class of Unicode in a process costs a command more than its address. */
function hasInvisible(text: string): boolean {
  return /[^!-~]/.test(text) && /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]/u.test(text);
}

function refusedAddress(text: string, why: string): AuthzClientError {
  return new AuthzClientError("address_invalid", {
    what: `The address "${text}" is refused.`,
    why,
  });
}
