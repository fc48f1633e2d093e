import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { AuditEventType } from "../../../reference-server/src/audit/events.js";
import { textsIn } from "../../../reference-server/src/text/texts.js";
import { root } from "../markdown.js";
import { generatedNote, page, table } from "./tables.js";

interface DescribedEvent {
  readonly type: string;
  readonly comment: string;
  readonly members: readonly { readonly name: string; readonly type: string; readonly comment: string }[];
}

/** Every event of the audit trail with the members of its `data`. */
export function eventsPage(): string {
  return page([
    "# Events of the audit trail",
    "One event is one line of JSON: `type`, `at`, `outcome` (`success`, `denied`, `failed`), `actorType` and `actorId` (who did it), `subject` (whom it is about), `clientId`, `requestId`, and `data` as below. Braces in a sentence are what the event fills in. `Change<T>` has `from` and `to`, and an `AuditReason` is one of the [reasons](reasons.md#in-the-audit-trail-and-the-log). How events are sealed, exported and kept: [the audit trail](audit-trail.md).",
    generatedNote,
    ...readEvents().map(section),
  ]);
}

function section({ type, comment, members }: DescribedEvent): string {
  const parts = [`## ${type}`];
  if (comment !== "") parts.push(comment);
  parts.push(`> ${sentenceOf(type)}`);
  const rows = members.map((member) => [
    `\`${member.name}\``,
    `\`${member.type.replaceAll(/\breadonly /g, "")}\``,
    member.comment,
  ]);
  if (rows.length > 0) parts.push(table(["`data`", "Type", ""], rows));
  return parts.join("\n\n");
}

/** The catalog's sentence with each value replaced by its name. */
function sentenceOf(type: string): string {
  const names = new Proxy<Record<string, string>>(
    {},
    {
      has: () => true,
      get: (_, name) => `{${String(name)}}`,
      getOwnPropertyDescriptor: () => ({ configurable: true, enumerable: true, value: "" }),
    },
  );
  return textsIn("en")
    .text(`audit.events.${type as AuditEventType}`, names)
    .replaceAll("NaN", "{n}");
}

/** Parses the declared events, and adds those of objects, which are declared by their sentences. */
export function readEvents(): DescribedEvent[] {
  const listed = readListedEvents();
  const ofObjects = typesWithSentence()
    .filter((type) => !listed.some((event) => event.type === type))
    .map((type): DescribedEvent => ({ type, comment: "", members: membersOfObject(type) }));
  const objects = [...new Set([...listed, ...ofObjects].map(({ type }) => objectOf(type)))];
  return objects.flatMap((object) =>
    [...listed, ...ofObjects].filter(({ type }) => objectOf(type) === object),
  );
}

/** The types of events that an area has a sentence for. */
function typesWithSentence(): string[] {
  const areas = join(root, "reference-server/locales/en/areas");
  return readdirSync(areas).flatMap((file) => {
    const { audit } = JSON.parse(readFileSync(join(areas, file), "utf8")) as {
      readonly audit?: { readonly events?: Readonly<Record<string, Readonly<Record<string, string>>>> };
    };
    return Object.entries(audit?.events ?? {}).flatMap(([object, acts]) =>
      Object.keys(acts).map((act) => `${object}.${act}`),
    );
  });
}

const objectOf = (type: string) => type.slice(0, type.indexOf("."));

function membersOfObject(type: string): DescribedEvent["members"] {
  const key = { name: "key", type: "string", comment: "" };
  const fields = { name: "fields", type: "string[]", comment: "" };
  return type.endsWith(".changed") ? [key, fields] : [key];
}

function readListedEvents(): DescribedEvent[] {
  const source = readFileSync(join(root, "reference-server/src/audit/events.ts"), "utf8");
  const body = between(source, "interface ListedEventData {\n", "\n}\n");
  const entries = body.matchAll(/((?: {2}\/\*\*[^]*?\*\/\n)?) {2}"([\w.]+)": ([^]*?;)(?=\n {2}[/"]|\n?$)/g);
  return [...entries].map(([, comment = "", type = "", shape = ""]) => ({
    type,
    comment: plain(comment),
    members: membersOf(shape, source),
  }));
}

function membersOf(shape: string, source: string): DescribedEvent["members"] {
  const found = new Map<string, DescribedEvent["members"][number]>();
  const [, named = "", own = ""] = /^([^{]*)([^]*)$/.exec(shape) ?? [];
  for (const [name] of named.matchAll(/\b[A-Z]\w+\b/g)) {
    const declared = new RegExp(`(?:interface ${name} (\\{\\n[^]*?\\n\\})|type ${name} =([^]*?;)\\n)`).exec(
      source,
    );
    if (declared === null) continue;
    const members = membersOf(declared[1] ?? declared[2] ?? "", source);
    for (const member of members) found.set(member.name, member);
  }
  const members = own.matchAll(
    /((?:\/\*\*[^*]*\*\/\s*)?)readonly (\w+\??): ((?:\{[^{}]*\}|<[^>]*>|[^;{}<])+?)(?:;| \}|$)/g,
  );
  for (const [, comment = "", name = "", type = ""] of members) {
    const known = found.get(name);
    if (known === undefined) found.set(name, { name, type: type.trim(), comment: plain(comment) });
  }
  return [...found.values()];
}

function plain(comment: string): string {
  return comment
    .replaceAll(/^\s*\/?\*+\/?|\*\/\s*$/gm, "")
    .replaceAll(/\s+/g, " ")
    .trim();
}

function between(text: string, start: string, end: string): string {
  const from = text.indexOf(start) + start.length;
  return text.slice(from, text.indexOf(end, from));
}
