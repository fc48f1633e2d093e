import type { z } from "zod";
import type { Parameters } from "../protocol/parameters.js";
import type { createDetailsSchema } from "./details-schema.js";
import type { Installation } from "./installation.js";
import { defaultScopes, type Preset } from "./presets.js";

/** The fields of the form, in their order on the page. */
export const detailFields = [
  "administrator_email",
  "installation_name",
  "name",
  "button_label",
  "issuer",
  "discovery_url",
  "client_id",
  "client_secret",
  "auth_method",
  "scopes",
  "domains",
] as const;

export type DetailField = (typeof detailFields)[number];

/** What was typed, as it was typed. The secret is never shown again. */
export type DetailValues = Readonly<Record<DetailField, string>>;

export type DetailProblems = Readonly<Partial<Record<DetailField, "missing" | "invalid" | "superfluous">>>;

export type Details =
  | { readonly kind: "valid"; readonly installation: Installation }
  | { readonly kind: "invalid"; readonly values: DetailValues; readonly problems: DetailProblems };

/**
 * Reads the form. An empty secret means the one that was entered before for the same provider, if there is one.
 *
 * @param allowInsecureLoopback - plain HTTP on loopback is allowed
 */
export async function readDetails(
  form: Parameters,
  {
    before,
    allowInsecureLoopback,
  }: { readonly before: Installation | undefined; readonly allowInsecureLoopback: boolean },
): Promise<Details> {
  // Needed once in the life of an installation.
  const { createDetailsSchema } = await import("./details-schema.js");
  const values = Object.fromEntries(
    detailFields.map((field) => [field, form.get(field)?.trim() ?? ""]),
  ) as DetailValues;
  const result = createDetailsSchema(allowInsecureLoopback).safeParse({
    ...values,
    client_secret: values.client_secret || (values.auth_method === "none" ? "" : keptSecret(values, before)),
  });
  if (result.success) return { kind: "valid", installation: toInstallation(result.data) };
  const problems = Object.fromEntries(
    result.error.issues.map(({ path: [field], message }) => {
      const empty = values[field as DetailField] === "";
      return [field, message === "superfluous" ? message : empty ? "missing" : "invalid"];
    }),
  ) as DetailProblems;
  return { kind: "invalid", values: { ...values, client_secret: "" }, problems };
}

/** The secret that was entered before, which goes to the address it was entered for, and nowhere else. */
function keptSecret(values: DetailValues, before: Installation | undefined): string {
  const { issuer, discoveryUrl, clientSecret } = before?.provider ?? {};
  const isSame = values.issuer === issuer && values.discovery_url === (discoveryUrl ?? "");
  return (isSame && clientSecret) || "";
}

/** What the form shows at first. */
export function emptyValues(preset: Preset): DetailValues {
  const empty = Object.fromEntries(detailFields.map((field) => [field, ""])) as DetailValues;
  return { ...empty, name: preset.name ?? "", issuer: preset.issuer, scopes: defaultScopes.join(" ") };
}

/** What the form shows of an installation that was entered before. */
export function valuesOf({ installationName, administratorEmail, provider }: Installation): DetailValues {
  return {
    administrator_email: administratorEmail,
    installation_name: installationName,
    name: provider.name,
    button_label: provider.buttonLabel ?? "",
    issuer: provider.issuer,
    discovery_url: provider.discoveryUrl ?? "",
    client_id: provider.clientId,
    client_secret: "",
    auth_method: provider.tokenEndpointAuthMethod ?? "",
    scopes: provider.scopes.join(" "),
    domains: provider.allowedEmailDomains.join(", "),
  };
}

function toInstallation(form: z.output<ReturnType<typeof createDetailsSchema>>): Installation {
  return {
    installationName: form.installation_name,
    administratorEmail: form.administrator_email,
    provider: {
      key: undefined,
      name: form.name,
      buttonLabel: form.button_label || null,
      issuer: form.issuer,
      discoveryUrl: form.discovery_url || null,
      clientId: form.client_id,
      clientSecret: form.client_secret || null,
      tokenEndpointAuthMethod: form.auth_method || null,
      scopes: form.scopes,
      allowedEmailDomains: form.domains,
    },
  };
}
