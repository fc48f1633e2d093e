import type { AuthorizationDetail } from "@authz/dpop/approval";
import { isJsonObject } from "@authz/dpop/jws";
import { invisibleCharacters } from "@authz/skills/invisible";
import type { Resource } from "../store/resources.js";
import { renderMoment } from "../pages/dates.js";
import type { Texts } from "../text/texts.js";

type DetailsType = Resource["authorizationDetailsTypes"][number];

/** One line of what a person reads of a detail. */
interface DetailRow {
  readonly label: string;
  readonly value: string | readonly string[];
}

export interface ShownDetail {
  readonly rows: readonly DetailRow[];
  /** Values of the detail that no row shows. */
  readonly hidden: number;
}

const mostRows = 60;
const mostCharacters = 1000;
const mostItems = 50;
/** What the page says elsewhere, or what only machines read. */
const technical: ReadonlySet<string> = new Set(["type", "content_digest", "locations"]);

/** The title that an administrator gave to this type of call, in the language of the page; the type itself if it is gone. */
export function titleOf(
  type: DetailsType | undefined,
  detail: AuthorizationDetail,
  { language }: Texts,
): string {
  return type === undefined ? visible(detail.type) : inLanguage(type.title, language);
}

/**
 * What a person reads of a detail: the members that an administrator declared, or all of them under the service's own names. Values are
 * the service's; characters that cannot be seen are written out.
 */
export function showDetail(
  type: DetailsType | undefined,
  detail: AuthorizationDetail,
  texts: Texts,
): ShownDetail {
  const leaves = leavesOf(detail);
  const declared = type?.members ?? [];
  if (declared.length === 0) {
    const rows = leaves
      .slice(0, mostRows)
      .map(({ path, value }) => ({ label: visible(path), value: asText(value) }));
    return { rows, hidden: leaves.length - rows.length };
  }
  const rows = declared.flatMap(({ path, label, format }) => {
    const value = valueAt(detail, path);
    if (value === undefined) return [];
    return [{ label: inLanguage(label, texts.language), value: formatted(value, format, texts) }];
  });
  const isShown = (path: string) =>
    declared.some((member) => path === member.path || path.startsWith(`${member.path}.`));
  return { rows, hidden: leaves.filter(({ path }) => !isShown(path)).length };
}

function inLanguage(words: Readonly<Record<string, string>>, language: string): string {
  return words[language] ?? words["en"] ?? Object.values(words)[0] ?? "";
}

interface Leaf {
  readonly path: string;
  readonly value: unknown;
}

function leavesOf(value: unknown, path = ""): readonly Leaf[] {
  const entries = Array.isArray(value)
    ? value.entries()
    : isJsonObject(value)
      ? Object.entries(value)
      : undefined;
  if (entries === undefined) return [{ path, value }];
  const inside = [...entries].filter(([name]) => path !== "" || !technical.has(String(name)));
  if (inside.length === 0) return path === "" ? [] : [{ path, value }];
  return inside.flatMap(([name, item]) => leavesOf(item, path === "" ? String(name) : `${path}.${name}`));
}

function valueAt(detail: AuthorizationDetail, path: string): unknown {
  let value: unknown = detail;
  for (const name of path.split(".")) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return undefined;
    value = (value as Readonly<Record<string, unknown>>)[name];
  }
  return value;
}

/** A value that does not fit its format is shown as it is: a page must not interpret what it does not understand. */
function formatted(
  value: unknown,
  format: DetailsType["members"][number]["format"],
  texts: Texts,
): DetailRow["value"] {
  const locale = texts.language === "en" ? "en-GB" : texts.language;
  if (format === "list" && Array.isArray(value)) {
    const items = value.slice(0, mostItems).map(asText);
    return value.length > mostItems ? [...items, `… (${value.length})`] : items;
  }
  if (format === "number" && typeof value === "number")
    return new Intl.NumberFormat(locale, { maximumFractionDigits: 20 }).format(value);
  if (format === "money" && isJsonObject(value)) {
    const { amount, currency } = value;
    // The amount stays as the service wrote it: decimals of a text must not be rounded.
    if (Object.keys(value).length === 2 && amount !== undefined && typeof currency === "string")
      return `${asText(amount)} ${visible(currency)}`;
  }
  if (
    format === "date" &&
    typeof value === "string" &&
    /^\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:\d\d)$/.test(value)
  ) {
    const moment = new Date(value);
    if (!Number.isNaN(moment.getTime())) return renderMoment(moment, texts);
  }
  return asText(value);
}

function asText(value: unknown): string {
  const text = visible(typeof value === "string" ? value : JSON.stringify(value));
  const characters = Array.from(text);
  if (characters.length <= mostCharacters) return text;
  return `${characters.slice(0, mostCharacters).join("")} … (${characters.length})`;
}

/** Writes out what cannot be seen, so that a text cannot look like another one. */
function visible(text: string): string {
  return text.replace(invisibleCharacters(), (character) =>
    character === "\n" ? character : `\\u{${character.codePointAt(0)?.toString(16) ?? ""}}`,
  );
}
