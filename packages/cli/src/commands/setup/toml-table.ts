import { type FileEntry, fileText } from "@authz/agent-tools/hosts";

/** What keeps a file from being changed. */
export interface Obstacle {
  problem: "taken" | "unreadable";
}

/**
 * Adds a table at the end of a TOML file. This is no TOML parser: anything that could already be this table, or could keep one
 * from being added, stops it.
 */
export function addTomlTable(text: string, file: FileEntry): string | Obstacle {
  const addition = fileText(file);
  const plain = text.replaceAll("\r\n", "\n");
  const [group = "", name = ""] = file.at;
  const header = new RegExp(`^[ \\t]*\\[[ \\t]*${key(group)}[ \\t]*\\.[ \\t]*${key(name)}[ \\t]*[.\\]]`, "m");
  if (header.test(plain)) return hasExactly(plain, addition) ? text : { problem: "taken" };
  // A table in another spelling: inline, or by dotted keys. Three quotes begin a text in which a line means nothing.
  const inAnotherForm = new RegExp(
    `^[ \\t]*${key(group)}[ \\t]*[.=]|^[ \\t]*\\[[ \\t]*${key(group)}[ \\t]*\\]|"""|'''`,
    "m",
  );
  if (inAnotherForm.test(plain)) return { problem: "unreadable" };
  const lineEnd = text.includes("\r\n") ? "\r\n" : "\n";
  const before = plain.trimEnd();
  const after = `${before === "" ? "" : `${before}\n\n`}${addition}`;
  return after.replaceAll("\n", lineEnd);
}

/** A key as it may be written: bare, or in quotes of either kind. */
function key(name: string): string {
  const plain = name.replaceAll(/[^\w-]/g, "\\$&");
  return `(?:${plain}|"${plain}"|'${plain}')`;
}

/** Whether the table is there with the same lines, up to the next one or the end. */
function hasExactly(text: string, table: string): boolean {
  const from = text.indexOf(table.trimEnd());
  if (from === -1) return false;
  const rest = text.slice(from + table.trimEnd().length);
  return /^[ \t]*(?:\n\s*)*(?:\[|$)/.test(rest) && (from === 0 || text[from - 1] === "\n");
}
