import { expect, test } from "vitest";
import { z } from "zod";
import { scopeKey } from "../../src/objects/fields.js";
import { faultsOf } from "../support/faults.js";
import { listQuery, repeatable } from "../../src/admin/door/list-query.js";

const list = listQuery({ sorts: ["name"], filters: { scope: repeatable(scopeKey).optional() } });

test.each([
  { schema: z.strictObject({ name: z.string() }), value: {}, path: "name", message: "is missing" },
  {
    schema: z.strictObject({ name: z.string() }),
    value: { name: 1 },
    path: "name",
    message: "must be a string",
  },
  { schema: z.strictObject({ n: z.int() }), value: { n: 1.5 }, path: "n", message: "must be a whole number" },
  { schema: z.strictObject({}), value: { isAdmin: true }, path: "isAdmin", message: "is not known here" },
  { schema: z.strictObject({}), value: [], path: "", message: "must be an object" },
  {
    schema: z.strictObject({ a: z.string().min(1) }),
    value: { a: "" },
    path: "a",
    message: "must not be empty",
  },
  {
    schema: z.strictObject({ a: z.string().max(2) }),
    value: { a: "abc" },
    path: "a",
    message: "must have at most 2 characters",
  },
  {
    schema: z.strictObject({ a: z.array(z.string()).min(1) }),
    value: { a: [] },
    path: "a",
    message: "must have at least 1 item",
  },
  {
    schema: z.strictObject({ a: z.array(scopeKey) }),
    value: { a: ["a:b", "x"] },
    path: "a.1",
    message: 'must be "namespace:permission", such as contracts:read',
  },
  {
    schema: z.strictObject({ a: z.enum(["x", "y"]) }),
    value: { a: "z" },
    path: "a",
    message: 'must be "x" or "y"',
  },
  {
    schema: z.strictObject({ a: z.email() }),
    value: { a: "z" },
    path: "a",
    message: "must be an email address",
  },
  { schema: z.strictObject({ a: z.uuid() }), value: { a: "z" }, path: "a", message: "must be a UUID" },
  { schema: list, value: { limit: "0" }, path: "limit", message: "must be at least 1" },
  { schema: list, value: { limit: "x" }, path: "limit", message: "must be a number" },
  { schema: list, value: { sort: "x" }, path: "sort", message: 'must be "name" or "-name"' },
  {
    schema: list,
    value: { scope: "x" },
    path: "scope",
    message: 'must be an array or must be "namespace:permission", such as contracts:read',
  },
  {
    schema: z.discriminatedUnion("type", [
      z.strictObject({ type: z.literal("a") }),
      z.strictObject({ type: z.literal("b") }),
    ]),
    value: { type: "c" },
    path: "type",
    message: 'must be "a" or "b"',
  },
])("$value at $path $message", ({ schema, value, path, message }) => {
  expect(faultsOf(schema, value)).toEqual([`${path}: ${message}`]);
});
