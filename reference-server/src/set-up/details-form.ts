import {
  defaultScopes,
  type DetailField,
  detailFields,
  type DetailValues,
  type Installation,
  type Preset,
} from "./installation.js";
import type { Parameters } from "../protocol/parameters.js";

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
  const { checkDetails } = await import("./check-details.js");
  const values = Object.fromEntries(
    detailFields.map((field) => [field, form.get(field)?.trim() ?? ""]),
  ) as DetailValues;
  const secret = values.client_secret || (values.auth_method === "none" ? "" : keptSecret(values, before));
  const checked = checkDetails({ ...values, client_secret: secret }, { allowInsecureLoopback });
  if (checked.installation !== undefined) return { kind: "valid", installation: checked.installation };
  const problems = Object.fromEntries(
    checked.wrong.map(({ field, superfluous }) => {
      if (superfluous) return [field, "superfluous"];
      return [field, values[field] === "" ? "missing" : "invalid"];
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
