import type { MessageKey } from "./message-key.js";
import type { Texts } from "./texts.js";

/** A sentence of the catalogs with its values, for a reader whose language is not known yet. */
export interface Message {
  readonly key: MessageKey;
  readonly values?: MessageValues;
}

export type MessageValues = Readonly<Record<string, MessageValue>>;

/** A list is joined with commas, or with `all` or `any`: "a and b", "a or b". */
type MessageValue =
  | Item
  | readonly Item[]
  | { readonly all: readonly Item[] }
  | { readonly any: readonly Item[] };

type Item = string | number | Message;

/** Renders it in a language. */
export function renderMessage({ key, values = {} }: Message, texts: Texts): string {
  const rendered = Object.entries(values).map(([name, value]) => [name, renderValue(value, texts)] as const);
  return texts.text(key, Object.fromEntries(rendered));
}

function renderValue(value: MessageValue, texts: Texts): string | number {
  if (typeof value !== "object") return value;
  if (isList(value)) return renderItems(value, texts).join(", ");
  if ("key" in value) return renderMessage(value, texts);
  const items = renderItems("all" in value ? value.all : value.any, texts);
  const type = "all" in value ? "conjunction" : "disjunction";
  return new Intl.ListFormat(texts.language, { type }).format(items);
}

function renderItems(items: readonly Item[], texts: Texts): readonly string[] {
  return items.map((item) => String(renderValue(item, texts)));
}

function isList(value: MessageValue): value is readonly Item[] {
  return Array.isArray(value);
}
