import { type GrantTypeName, grantTypes } from "../../protocol/vocabulary.js";
import { registeredGrants } from "../../store/clients.js";
import { isVisibleText } from "../../text/short-text.js";

/** The rules for what clients say about themselves, in a document or in a registration (RFC 7591 §2). */

/** Nothing that looks like markup or has no meaning, and no more than 100 characters. */
const shown = /^[^\p{Cn}\p{Co}<>]{1,100}$/u;

/** The name that people read; `undefined` when it cannot be shown. */
export function readClientName(value: unknown): string | undefined {
  if (typeof value !== "string" || !shown.test(value) || !isVisibleText(value)) return undefined;
  const name = value.normalize("NFC").replaceAll(/\s+/g, " ").trim();
  return name === "" ? undefined : name;
}

/** A list of texts; `undefined` when it is none, or longer than anybody needs. */
export function readTexts(value: unknown): readonly string[] | undefined {
  if (!Array.isArray(value) || value.length > 20) return undefined;
  const items: readonly unknown[] = value;
  return items.every((item) => typeof item === "string" && item.length <= 2000)
    ? (items as readonly string[])
    : undefined;
}

/** What a client can begin with. A refresh only goes on, and a client of people does not act for itself. */
const begins: readonly GrantTypeName[] = [
  grantTypes.authorizationCode,
  grantTypes.deviceCode,
  grantTypes.jwtBearer,
];

/**
 * Reads `grant_types` and `response_types`: the grants that the client says it uses, of those that people's clients have here.
 * `undefined` when it can begin with none of them, or they are no lists of texts.
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
