import { type GrantTypeName, grantTypes } from "../../protocol/vocabulary.js";
import { registeredGrants } from "../../store/clients.js";
import { isVisibleText } from "../../text/short-text.js";

/** Rules for client metadata, in a document or in a registration (RFC 7591 §2). */

/** Up to 100 assigned characters without markup. */
const shown = /^[^\p{Cn}\p{Co}<>]{1,100}$/u;

/** The display name; `undefined` when it cannot be shown. */
export function readClientName(value: unknown): string | undefined {
  if (typeof value !== "string" || !shown.test(value) || !isVisibleText(value)) return undefined;
  const name = value.normalize("NFC").replaceAll(/\s+/g, " ").trim();
  return name === "" ? undefined : name;
}

/** A list of strings; `undefined` when it is none, or too long. */
export function readTexts(value: unknown): readonly string[] | undefined {
  if (!Array.isArray(value) || value.length > 20) return undefined;
  const items: readonly unknown[] = value;
  return items.every((item) => typeof item === "string" && item.length <= 2000)
    ? (items as readonly string[])
    : undefined;
}

/** Grants that a client can begin with: a refresh continues one, and client credentials are for machines. */
const begins: readonly GrantTypeName[] = [
  grantTypes.authorizationCode,
  grantTypes.deviceCode,
  grantTypes.jwtBearer,
];

/**
 * Reads `grant_types` and `response_types`: the listed grants among those of people's clients. `undefined` when the client can begin
 * with none of them, or a list is malformed.
 */
export function readGrantTypes(
  metadata: Readonly<Record<string, unknown>>,
): readonly GrantTypeName[] | undefined {
  const listed = readTexts(metadata["grant_types"] ?? [grantTypes.authorizationCode]);
  const responses = readTexts(metadata["response_types"] ?? ["code"]);
  if (listed === undefined || responses === undefined) return undefined;
  const usable = registeredGrants("public").filter(
    (grantType) =>
      listed.includes(grantType) &&
      (grantType !== grantTypes.authorizationCode || responses.includes("code")),
  );
  return usable.some((grantType) => begins.includes(grantType)) ? usable : undefined;
}
