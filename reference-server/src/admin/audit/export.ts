import { searchAuditEvents } from "../../audit/search-events.js";
import type { AuditFilter } from "../../store/audit-events.js";
import type { Store } from "../../store/store.js";
import type { Language } from "../../text/texts.js";
import type { AdminAuditEvent, AuditLink } from "./schemas.js";
import { showEvents } from "./show-event.js";

const pageSize = 200;

const columns: readonly (readonly [name: string, cell: (event: AdminAuditEvent) => string | null])[] = [
  ["id", ({ id }) => id],
  ["at", ({ at }) => at],
  ["type", ({ type }) => type],
  ["outcome", ({ outcome }) => outcome],
  ["who_type", ({ actor }) => actor.type],
  ["who_id", ({ actor }) => actor.id],
  ["who_email", ({ actor }) => actor.email],
  ["who_name", ({ actor }) => actor.name],
  ["about_id", ({ subject }) => subject?.id ?? null],
  ["about_email", ({ subject }) => subject?.email ?? null],
  ["about_name", ({ subject }) => subject?.name ?? null],
  ["client", ({ client }) => client?.id ?? null],
  ["client_name", ({ client }) => client?.name ?? null],
  ["client_host", ({ client }) => client?.host ?? null],
  ["service", (event) => linkOf(event, "resource")?.id ?? null],
  ["service_name", (event) => linkOf(event, "resource")?.name ?? null],
  ["connector", (event) => linkOf(event, "connector")?.id ?? null],
  ["scopes", ({ data }) => textOf(data["scopes"] ?? data["scope"])],
  ["error", ({ data }) => textOf(data["error"])],
  ["reason", ({ data }) => textOf(data["reason"])],
  ["method", ({ data }) => textOf(data["method"])],
  ["host", ({ data }) => textOf(data["host"])],
  ["status", ({ data }) => textOf(data["status"])],
  ["duration_ms", ({ data }) => textOf(data["durationMs"])],
  ["count", ({ data }) => textOf(data["count"])],
  ["request_id", ({ requestId }) => requestId],
  ["description", ({ description }) => description],
  ["data", ({ data }) => JSON.stringify(data)],
];

function linkOf({ links }: AdminAuditEvent, type: AuditLink["type"]): AuditLink | undefined {
  return links.find((link) => link.type === type);
}

/** A text, a number, or the texts of a list with spaces between them; other values are in `data` only. */
function textOf(value: unknown): string | null {
  if (typeof value === "number") return String(value);
  if (Array.isArray(value)) return value.filter((item) => typeof item === "string").join(" ");
  return typeof value === "string" ? value : null;
}

type Search = AuditFilter & { readonly q?: string };

/** The events that match, newest first, read page by page as fast as the reader takes them: one line of JSON each. */
export async function* exportNdjson(
  store: Pick<Store, "auditSearch">,
  search: Search,
  language: Language,
): AsyncGenerator<string> {
  for await (const events of readPages(store, search, language)) {
    yield events.map((event) => `${JSON.stringify(event)}\n`).join("");
  }
}

/** The same as CSV (RFC 4180) with a head. */
export async function* exportCsv(
  store: Pick<Store, "auditSearch">,
  search: Search,
  language: Language,
): AsyncGenerator<string> {
  yield formatRow(columns.map(([name]) => name));
  for await (const events of readPages(store, search, language)) {
    yield events.map((event) => formatRow(columns.map(([, cell]) => cell(event)))).join("");
  }
}

async function* readPages(
  store: Pick<Store, "auditSearch">,
  search: Search,
  language: Language,
): AsyncGenerator<readonly AdminAuditEvent[]> {
  let cursor: string | null = null;
  do {
    const page = await searchAuditEvents(store, {
      ...search,
      limit: pageSize,
      ...(cursor !== null && { cursor }),
    });
    if (page.items.length > 0) yield await showEvents(store, page.items, language);
    cursor = page.nextCursor;
  } while (cursor !== null);
}

function formatRow(cells: readonly (string | null)[]): string {
  return `${cells.map((cell) => formatCell(cell ?? "")).join(",")}\r\n`;
}

/** What a spreadsheet would take for a formula gets an apostrophe before it, and stays a text. */
function formatCell(text: string): string {
  const inert = /^[\s]*[=+\-@]|^[\t\r\n]/.test(text) ? `'${text}` : text;
  return `"${inert.replaceAll('"', '""')}"`;
}
