import { searchAuditEvents } from "../../audit/search-events.js";
import type { AuditFilter } from "../../store/audit-events.js";
import type { Store } from "../../store/store.js";
import type { Language } from "../../text/texts.js";
import type { AdminAuditEvent } from "./schemas.js";
import { showEvents } from "./show-event.js";

const pageSize = 200;

const columns: readonly (readonly [name: string, cell: (event: AdminAuditEvent) => string | null])[] = [
  ["id", ({ id }) => id],
  ["at", ({ at }) => at],
  ["type", ({ type }) => type],
  ["outcome", ({ outcome }) => outcome],
  ["description", ({ description }) => description],
  ["actor_type", ({ actor }) => actor.type],
  ["actor_id", ({ actor }) => actor.id],
  ["actor_email", ({ actor }) => actor.email],
  ["subject_id", ({ subject }) => subject?.id ?? null],
  ["subject_email", ({ subject }) => subject?.email ?? null],
  ["client_id", ({ client }) => client?.id ?? null],
  ["client_name", ({ client }) => client?.name ?? null],
  ["client_host", ({ client }) => client?.host ?? null],
  ["request_id", ({ requestId }) => requestId],
  ["data", ({ data }) => JSON.stringify(data)],
];

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
    // oxlint-disable-next-line no-await-in-loop -- page after page
    const page = await searchAuditEvents(store, {
      ...search,
      limit: pageSize,
      ...(cursor !== null && { cursor }),
    });
    // oxlint-disable-next-line no-await-in-loop -- page after page
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
