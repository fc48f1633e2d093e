import { z } from "zod";
import { listAnswer, listQuery } from "../../../src/admin/door/list-query.js";
import { text } from "../../../src/objects/fields.js";

export const nameSchema = z
  .strictObject({ name: z.string().describe("Shown on every page"), version: z.int() })
  .meta({ id: "ExampleName" });

/** `PATCH /name` */
export const changeNameSchema = z.strictObject({ name: text });

/** `GET /names` */
export const nameQuerySchema = listQuery({ sorts: ["key"], filters: {} });
export const nameListSchema = listAnswer(z.strictObject({ key: z.string() }));
