import { Readable } from "node:stream";
import { auditors, auditorsAndOwners } from "../door/access.js";
import type { AdminArea } from "../door/area.js";
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

/** What happened, by whom, about whom. */
export const auditArea: AdminArea = {
  tag: "Audit",
  description: "The audit trail: search, export, and proof that no row was altered.",
  async routes(app) {
    app.get(
      "/audit-events",
      {
        config: { access: auditorsAndOwners },
        schema: {
          summary: "Search the audit trail, newest first",
          description:
            "`q` finds events a few seconds after they happened, as soon as they are sealed; `searchedThrough` says up to when.",
          querystring: auditQuerySchema,
          response: { 200: auditListSchema },
        },
      },
      async ({ query, admin }) => await findEvents(query, admin),
    );

    app.get(
      "/audit-events/export",
      {
        config: { access: auditorsAndOwners, contentTypes: [csv, ndjson] },
        schema: {
          summary: "Export the events of a search as CSV or as lines of JSON",
          description: "Streamed, newest first, without a limit.",
          querystring: auditExportSchema,
        },
      },
      async ({ query: { format, q, ...filter }, admin }, reply) => {
        const { store, now, change, language } = admin;
        const words = q !== undefined && { q };
        const record = () =>
          change(({ audit }) =>
            audit({ type: "audit.exported", data: { format, search: { ...filter, ...words } } }),
          );
        const search = { ...(await resolveFilter(filter, admin)), ...words };
        const lines =
          format === "csv" ? exportCsv(store, search, language) : exportNdjson(store, search, language);
        const name = `audit-${now.toISOString().slice(0, 10)}.${format}`;
        return await reply
          .type(format === "csv" ? csv : ndjson)
          .header("content-disposition", `attachment; filename="${name}"`)
          .send(Readable.from(recorded(record, lines), { objectMode: false }));
      },
    );

    app.get(
      "/audit-events/verification",
      {
        config: { access: auditors },
        schema: {
          summary: "Compare a part of the audit trail with its seals",
          description: "Begins at the first seal. Ask again with `after` until `nextAfter` is null.",
          querystring: auditVerificationQuerySchema,
          response: { 200: auditVerificationSchema },
        },
      },
      async ({ query, admin }) => await verifyPart(query.after, admin),
    );

    app.get(
      "/audit-events/:id",
      {
        config: { access: auditorsAndOwners, errors: ["not_found"] },
        schema: {
          summary: "Show one event",
          params: auditParamsSchema,
          response: { 200: auditEventSchema },
        },
      },
      async ({ params, admin }) => await loadEvent(params.id, admin),
    );
  },
};

/** An export is recorded before its first byte is read, and only if it is read. */
async function* recorded(record: () => Promise<void>, lines: AsyncIterable<string>): AsyncGenerator<string> {
  await record();
  yield* lines;
}
