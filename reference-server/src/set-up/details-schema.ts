import { z } from "zod";
import { domain, email, secret, text, url, wireToken } from "../registry/fields.js";
import { authMethods } from "./presets.js";

/** Limits are lower than elsewhere: all of it has to fit into a cookie. */
export function createDetailsSchema(allowInsecureLoopback: boolean) {
  const address = url(allowInsecureLoopback)
    .max(500)
    .refine((value) => !/[{}]|%7[bd]/i.test(value));
  const list = (item: z.ZodType<string, string>, separator: RegExp) =>
    z
      .string()
      .max(800)
      .transform((value) => value.split(separator).filter((part) => part !== ""))
      .pipe(z.array(item));
  return z
    .strictObject({
      administrator_email: email,
      installation_name: text,
      name: text,
      button_label: z.string().max(200),
      issuer: address,
      discovery_url: z.union([z.literal(""), address.refine((value) => value.includes("/.well-known/"))]),
      client_id: text,
      client_secret: z.union([z.literal(""), secret.max(1000)]),
      auth_method: z.enum(authMethods),
      scopes: list(wireToken, /[\s,]+/).refine((scopes) => scopes.includes("openid")),
      domains: list(domain, /[\s,;]+/),
    })
    .superRefine(({ client_secret: given, auth_method: method }, context) => {
      if ((given === "") === (method === "none")) return;
      const message = method === "none" ? "superfluous" : "missing";
      context.addIssue({ code: "custom", path: ["client_secret"], message });
    });
}
