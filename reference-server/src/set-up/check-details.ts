import { z } from "zod";
import { check, type PlacedFault } from "../registry/check.js";
import { checkSecretOfProvider } from "../registry/identity-provider.js";
import type { DetailField, DetailValues } from "./detail-fields.js";
import type { Installation } from "./installation.js";
import { installationFields, type InstallationRules } from "./installation-schema.js";

/** A field of the form that the registry would not take as it is. */
interface WrongField {
  readonly field: DetailField;
  /** It has to be empty. */
  readonly superfluous: boolean;
}

export type CheckedDetails =
  | { readonly installation: Installation; readonly wrong?: undefined }
  | { readonly installation?: undefined; readonly wrong: readonly WrongField[] };

/** Judges what was typed by the rules of the registry. */
export function checkDetails(values: DetailValues, rules: InstallationRules): CheckedDetails {
  const { provider, ...fields } = installationFields(rules);
  const schema = z.strictObject({
    ...fields,
    provider: z.strictObject(provider).superRefine(checkSecretOfProvider),
  });
  const checked = check(schema, toDocument(values));
  if (checked.faults !== undefined) return { wrong: checked.faults.map(toWrongField) };
  const { installation, administrator, provider: described } = checked.value;
  const { key, clientSecret = null, ...known } = described;
  return {
    installation: {
      installationName: installation.name,
      administratorEmail: administrator.email,
      provider: { ...known, key, clientSecret },
    },
  };
}

/** As it would stand in an installation file. */
function toDocument(values: DetailValues) {
  const list = (text: string, separator: RegExp) => text.split(separator).filter((part) => part !== "");
  return {
    installation: { name: values.installation_name },
    administrator: { email: values.administrator_email },
    provider: {
      name: values.name,
      buttonLabel: values.button_label || null,
      issuer: values.issuer,
      discoveryUrl: values.discovery_url || null,
      clientId: values.client_id,
      clientSecret: values.client_secret || undefined,
      tokenEndpointAuthMethod: values.auth_method || null,
      scopes: list(values.scopes, /[\s,]+/),
      allowedEmailDomains: list(values.domains, /[\s,;]+/),
    },
  };
}

const fieldsOfProvider: Readonly<Record<string, DetailField>> = {
  buttonLabel: "button_label",
  issuer: "issuer",
  discoveryUrl: "discovery_url",
  clientId: "client_id",
  clientSecret: "client_secret",
  tokenEndpointAuthMethod: "auth_method",
  scopes: "scopes",
  allowedEmailDomains: "domains",
};

function toWrongField({ place: [section, member], message }: PlacedFault): WrongField {
  const superfluous = message.key === "administration.faults.secretNotWanted";
  if (section === "installation") return { field: "installation_name", superfluous };
  if (section === "administrator") return { field: "administrator_email", superfluous };
  return { field: fieldsOfProvider[String(member)] ?? "name", superfluous };
}
