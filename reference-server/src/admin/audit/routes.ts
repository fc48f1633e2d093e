import { Readable } from "node:stream";
import { defineRoute } from "../http/define-route.js";
import { RawAnswer } from "../http/raw-answer.js";
import type { AdminArea } from "../http/route.js";
import { exportCsv, exportNdjson } from "./export.js";
import {
  auditEventSchema,
  auditExportSchema,
  auditListSchema,
  auditParamsSchema,
  auditQuerySchema,
  auditVerificationQuerySchema,
  auditVerificationSchema,
} from "./schemas.js";
import { findEvents, loadEvent, resolveFilter } from "./search.js";
import { verifyPart } from "./verification.js";

const csv = "text/csv; charset=utf-8; header=present";
const ndjson = "application/x-ndjson; charset=utf-8";

const listEvents = defineRoute({
  method: "GET",
  path: "/audit-events",
  summary: "Search the audit trail, newest first",
  description:
    "`q` finds events a few seconds after they happened, as soon as they are sealed; `searchedThrough` says up to when.",
  query: auditQuerySchema,
  answer: auditListSchema,
  handle: ({ query }, { store, texts }) => findEvents(query, store, texts.language),
});

const exportEvents = defineRoute({
  method: "GET",
  path: "/audit-events/export",
  summary: "Export the events of a search as CSV or as lines of JSON",
  description: "Streamed, newest first, without a limit.",
  query: auditExportSchema,
  rawAnswers: [csv, ndjson],
  handle: async ({ query: { format, q, ...filter } }, { store, now, change, texts }) => {
    const asked = { ...filter, ...(q !== undefined && { q }) };
    const record = () =>
      change(({ audit }) => audit({ type: "audit.exported", data: { format, search: asked } }));
    const search = { ...(await resolveFilter(filter, store)), ...(q !== undefined && { q }) };
    const lines =
      format === "csv"
        ? exportCsv(store, search, texts.language)
        : exportNdjson(store, search, texts.language);
    const name = `audit-${now.toISOString().slice(0, 10)}.${format}`;
    return new RawAnswer({
      contentType: format === "csv" ? csv : ndjson,
      body: Readable.from(recorded(record, lines), { objectMode: false }),
      headers: { "content-disposition": `attachment; filename="${name}"` },
    });
  },
});

/** Nothing is read before it is recorded, and what nobody reads is not recorded. */
async function* recorded(record: () => Promise<void>, lines: AsyncIterable<string>): AsyncGenerator<string> {
  await record();
  yield* lines;
}

const verifyEvents = defineRoute({
  method: "GET",
  path: "/audit-events/verification",
  summary: "Compare a part of the audit trail with its seals",
  description: "Begins at the first seal. Ask again with `after` until `nextAfter` is null.",
  query: auditVerificationQuerySchema,
  answer: auditVerificationSchema,
  handle: ({ query }, call) => verifyPart(query.after, call),
});

const getEvent = defineRoute({
  method: "GET",
  path: "/audit-events/{id}",
  summary: "Show one event",
  params: auditParamsSchema,
  answer: auditEventSchema,
  errors: ["not_found"],
  handle: ({ params }, { store, texts }) => loadEvent(params.id, store, texts.language),
});

/** What happened, by whom, about whom. */
export function auditArea(): AdminArea {
  return {
    tag: "Audit",
    description: "The audit trail: search, export, and proof that no row was altered.",
    routes: [listEvents, exportEvents, verifyEvents, getEvent],
  };
}
