import { z } from "zod";
import * as field from "./fields.js";

/** A text in each language that the administrator writes it in, by the language's tag. */
const words = z
  .record(z.string().regex(/^[a-z]{2}$/), field.text)
  .refine((texts) => Object.keys(texts).length > 0);

const path = z
  .string()
  .max(200)
  .regex(/^[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+){0,7}$/);

const shownMember = z.strictObject({
  path: path.describe(
    "Where it stands in the detail: names of members, or positions in a list, separated by dots",
  ),
  label: words,
  format: z.enum(["text", "number", "money", "date", "list"]).default("text"),
});

/**
 * How a service's calls of one type are approved (RFC 9396 §2: the type says what else a detail has).
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc9396#section-5 | RFC 9396 §5}: other types are refused.
 */
const detailsType = z.strictObject({
  type: z
    .string()
    .min(1)
    .max(200)
    .regex(/^[\x21-\x7e]+$/)
    // Types of this server's own.
    .regex(/^(?!authz:)/)
    .describe("As the service writes it in authorization_details"),
  title: words.describe("What such a call does, in the language of the person"),
  members: z
    .array(shownMember)
    .max(30)
    .default([])
    .describe("What the person reads of a detail, in this order; empty: everything, as the service names it"),
  approver: z
    .strictObject({ provider: field.key, key: field.groupName })
    .nullable()
    .default(null)
    .describe("The group whose members answer, never the person themselves; null: the person themselves"),
  maxAgeSeconds: z
    .int()
    .min(0)
    .max(24 * 3600)
    .nullable()
    .default(null)
    .describe("How long ago the approver may have signed in; null: as long as the browser session lasts"),
});

export const authorizationDetailsTypes = field.uniqueList(detailsType, {
  maximum: 50,
  identify: ({ type }) => ({ path: ["type"], value: type }),
});
