import { grantTypes } from "../../protocol/vocabulary.js";

/** The rules for what clients say about themselves, in a document or in a registration (RFC 7591 §2). */

/**
 * No controls and nothing invisible or blank (U+3164, U+2800) but what makes a sign an emoji, no characters that turn the
 * direction of text, nothing that looks like markup, and no more than 100.
 */
const shown = /^(?:\uFE0F|(?!\p{Default_Ignorable_Code_Point})[^\p{C}\p{Zl}\p{Zp}<>\u2800]){1,100}$/u;

/** The name that people read; `undefined` when it cannot be shown. */
export function readClientName(value: unknown): string | undefined {
  if (typeof value !== "string" || !shown.test(value)) return undefined;
  const name = value.normalize("NFC").replaceAll(/\s+/g, " ").trim();
  return /^[\s\uFE0F]*$/.test(name) ? undefined : name;
}

/** A list of texts; `undefined` when it is none, or longer than anybody needs. */
export function readTexts(value: unknown): readonly string[] | undefined {
  if (!Array.isArray(value) || value.length > 20) return undefined;
  const items: readonly unknown[] = value;
  return items.every((item) => typeof item === "string" && item.length <= 2000)
    ? (items as readonly string[])
    : undefined;
}

/** How a client gets its tokens. */
export interface ClientFlows {
  readonly code: boolean;
  /** Also by a device code, or by an assertion: both do without a redirect. */
  readonly other: boolean;
  readonly refreshTokens: boolean;
}

/** Reads `grant_types` and `response_types`; `undefined` when they leave no way, or are no lists of texts. */
export function readFlows(metadata: Readonly<Record<string, unknown>>): ClientFlows | undefined {
  const grants = readTexts(metadata["grant_types"] ?? [grantTypes.authorizationCode]);
  const responses = readTexts(metadata["response_types"] ?? ["code"]);
  if (grants === undefined || responses === undefined) return undefined;
  const code = grants.includes(grantTypes.authorizationCode) && responses.includes("code");
  const other = grants.includes(grantTypes.deviceCode) || grants.includes(grantTypes.jwtBearer);
  if (!code && !other) return undefined;
  return { code, other, refreshTokens: grants.includes(grantTypes.refreshToken) };
}
