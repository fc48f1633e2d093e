import type { ConfigurationValue, FileEntry } from "./host.js";

/** A file that has this entry and nothing else, with a line end at its end. */
export function fileText(file: FileEntry): string {
  return file.format === "toml" ? tomlText(file) : `${JSON.stringify(fileValue(file), undefined, 2)}\n`;
}

/** The same file as a value, before it is written as JSON. */
export function fileValue({ at, entry, beside }: FileEntry): Record<string, ConfigurationValue> {
  const value = at.reduceRight<ConfigurationValue>((inner, name) => ({ [name]: inner }), entry);
  return { ...beside, ...(value as Record<string, ConfigurationValue>) };
}

/** One table: its values are strings and lists of strings, which TOML and JSON write alike. */
function tomlText({ at, entry }: FileEntry): string {
  const lines = Object.entries(entry).map(([name, value]) => `${name} = ${tomlValue(value)}`);
  return `[${at.map(tomlKey).join(".")}]\n${lines.join("\n")}\n`;
}

function tomlKey(name: string): string {
  return /^[\w-]+$/.test(name) ? name : JSON.stringify(name);
}

function tomlValue(value: ConfigurationValue): string {
  return Array.isArray(value)
    ? `[${value.map((one) => JSON.stringify(one)).join(", ")}]`
    : JSON.stringify(value);
}
