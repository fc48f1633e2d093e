import { scopePattern } from "@authz/dpop/jwt";
import { z } from "zod";
import { isGroupName } from "../protocol/group-names.js";
import { isLoopbackHost } from "../platform/outbound/addresses.js";
import { isNeverSent } from "../protocol/request-headers.js";
import { addFaults, issue, type RuleFault } from "./check.js";

/** The kinds of strings that objects of the registry have. */

export const key = z
  .string()
  .max(100)
  .regex(/^[a-z0-9][a-z0-9-]*$/, issue("key").message);

export const scopeKey = z.string().max(200).regex(scopePattern, issue("scopeKey").message);

export const scopeDescription = z.string().trim().min(1).max(500);

export const groupName = z.string().refine(isGroupName, issue("groupName"));

export const text = z.string().trim().min(1).max(200);

/** A text that goes into a header or a form as it is. */
export const wireToken = z
  .string()
  .min(1)
  .max(256)
  .regex(/^[\x21\x23-\x5b\x5d-\x7e]+$/, issue("wireToken").message);

/** Headers that go on with a request beside those that any API takes. */
export const requestHeaders = z
  .array(
    z
      .string()
      .max(100)
      .toLowerCase()
      .regex(/^[a-z0-9]+(?:-[a-z0-9]+)*$/, issue("headerName").message)
      .refine((name) => !isNeverSent(name), issue("headerNever")),
  )
  .max(30)
  .overwrite((names) => [...new Set(names)]);

export const email = z
  .email()
  .max(254)
  .transform((address) => address.toLowerCase());

/** People by address and groups that decide for an object, each once. */
export const owners = z
  .array(
    z
      .strictObject({
        email: z
          .string()
          .max(254)
          .refine((address) => email.safeParse(address).success, issue("email"))
          .overwrite((address) => address.toLowerCase())
          .nullable()
          .default(null),
        group: z.strictObject({ provider: key, key: groupName }).nullable().default(null),
      })
      .refine((owner) => (owner.email === null) !== (owner.group === null), issue("emailOrGroup")),
  )
  .max(50)
  .overwrite((list) => [...new Map(list.map((owner) => [JSON.stringify(owner), owner])).values()]);

/** A moment, as ISO 8601 with its offset from UTC. */
export const moment = z.iso
  .datetime({ offset: true, error: issue("moment").message })
  .transform((value) => new Date(value));

export const domain = z
  .string()
  .max(253)
  .regex(/^[a-z0-9-]+(\.[a-z0-9-]+)+$/i, issue("domain").message)
  .overwrite((name) => name.toLowerCase());

export const secret = z.string().min(1).max(2000);

export function url(allowInsecureLoopback: boolean) {
  return z
    .string()
    .max(2000)
    .refine((value) => isAllowedUrl(value, allowInsecureLoopback), issue("httpsUrl"));
}

export function origin(allowInsecureLoopback: boolean) {
  return url(allowInsecureLoopback).refine(
    (value) => URL.canParse(value) && new URL(value).origin === value,
    issue("origin"),
  );
}

function isAllowedUrl(value: string, allowInsecureLoopback: boolean): boolean {
  if (!URL.canParse(value) || value.includes("?") || value.includes("#")) return false;
  const { protocol, hostname, username, password } = new URL(value);
  if (username !== "" || password !== "") return false;
  return protocol === "https:" || (protocol === "http:" && allowInsecureLoopback && isLoopbackHost(hostname));
}

/** A list in which the named member identifies each item. */
export function uniqueList<Item extends z.ZodType>(
  item: Item,
  { maximum, identify }: { maximum: number; identify: (item: z.output<Item>) => Identity },
) {
  return z
    .array(item)
    .max(maximum)
    .default([])
    .superRefine((items, context) => {
      const seen = new Set<string>();
      for (const [index, entry] of items.entries()) {
        const { path, value } = identify(entry);
        if (seen.has(value)) {
          addFaults(context, [{ path: [index, ...path], code: "twice", values: { value } }]);
        }
        seen.add(value);
      }
    });
}

/** Where the identifying text of an item stands, and the text. */
interface Identity {
  readonly path: readonly string[];
  readonly value: string;
}

export function byKey(item: { readonly key: string }): Identity {
  return { path: ["key"], value: item.key };
}

/** Says that a client secret and the way the client proves who it is do not fit; nothing when they do. */
export function findSecretFaults(client: {
  readonly hasSecret: boolean;
  readonly method: "client_secret_basic" | "client_secret_post" | "none" | null;
}): readonly RuleFault[] {
  const { hasSecret, method } = client;
  if (hasSecret === (method !== "none")) return [];
  return [{ path: ["clientSecret"], code: method === "none" ? "secretNotWanted" : "secretMissing" }];
}
