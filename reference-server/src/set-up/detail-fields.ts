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
