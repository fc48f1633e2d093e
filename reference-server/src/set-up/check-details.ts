import { z } from "zod";
import { check, type PlacedFault } from "../objects/check.js";
import { email } from "../objects/fields.js";
import { checkSecretOfProvider, identityProviderRules } from "../objects/identity-provider.js";
import { settingsFields } from "../registry/settings.js";
import { defaultScopes, type DetailField, type DetailValues, type Installation } from "./installation.js";

/** A field of the form that the registry would not take as it is. */
interface WrongField {
  readonly field: DetailField;
  /** It has to be empty. */
  readonly superfluous: boolean;
}

type CheckedDetails =
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

/** The members of a set-up, by the rules of the registry: what the form and the installation file have in common. */
export function installationFields({ allowInsecureLoopback }: InstallationRules) {
  const {
    enabled: _enabled,
    allowsAssertions: _later,
    presence: _afterTest,
    presenceIntervalSeconds: _interval,
    graceSeconds: _grace,
    signInEveryDays: _days,
    key,
    scopes,
    ...provider
  } = identityProviderRules({ allowInsecureLoopback }).shape;
  return {
    installation: z.strictObject({ name: settingsFields.installationName }),
    administrator: z.strictObject({ email }),
    provider: { ...provider, key: key.optional(), scopes: scopes.default([...defaultScopes]) },
  };
}

export interface InstallationRules {
  /** Plain HTTP on loopback is allowed: development on one machine. */
  readonly allowInsecureLoopback: boolean;
}
