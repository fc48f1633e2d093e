/** Why something was refused or ended, as it stands after a colon. */
const reasons: Readonly<Record<string, string>> = {
  audience_mismatch: "die Audience ist nicht die des Dienstes",
  code_expired: "der Code war abgelaufen",
  code_reused: "der Code wurde zum zweiten Mal benutzt",
  device_code_expired: "der Code des Geräts war abgelaufen",
  device_code_reused: "der Code des Geräts wurde zum zweiten Mal benutzt",
  directory_unavailable: "das Verzeichnis war nicht erreichbar",
  email_domain: "die E-Mail-Domain ist nicht zugelassen",
  email_missing: "die E-Mail-Adresse fehlte",
  email_unverified: "die E-Mail-Adresse war nicht bestätigt",
  foreign_client: "es gehörte einem anderen Client",
  invalid_response: "der Antwort des Anbieters war nicht zu trauen",
  log_in_expired: "die Anmeldung des Geräts war abgelaufen",
  log_in_revoked: "das Gerät war abgemeldet",
  login_permission_missing: "die Berechtigung zum Anmelden fehlt",
  login_scope_missing: "die Berechtigung zum Anmelden war nicht dabei",
  malformed_scope: "der Scope ist fehlerhaft geschrieben",
  not_supported: "der Dienst unterstützt den Scope nicht",
  nothing_granted: "kein Scope wurde erlaubt",
  provider_refused: "der Anbieter hat abgelehnt",
  provider_unreachable: "der Anbieter war nicht erreichbar",
  refresh_token_expired: "das Refresh-Token war abgelaufen",
  refresh_token_reused: "das Refresh-Token wurde zum zweiten Mal benutzt",
  resource_disabled: "der Dienst ist abgeschaltet",
  revoked_by_administrator: "von der Administration abgemeldet",
  revoked_by_client: "vom Client abgemeldet",
  revoked_by_user: "von der Person selbst abgemeldet",
  scope_not_assigned: "der Scope ist nicht zugewiesen",
  scope_not_granted: "der Scope wurde beim Anmelden nicht erlaubt",
  unknown_resource: "den Dienst gibt es nicht",
  unknown_scope: "den Scope gibt es nicht",
  unknown_user: "die Person gibt es nicht mehr",
  user_disabled: "die Person ist gesperrt",
  wrong_code_verifier: "der Code gehörte zu einer anderen Anmeldung",
  wrong_key: "es gehörte zu einem anderen Schlüssel",
  wrong_redirect_uri: "die Redirect-URI war eine andere",
};

/** A reason in German; one that this console does not know, in the server's words. */
export function reasonOf(code: string): string {
  return (Object.hasOwn(reasons, code) ? reasons[code] : undefined) ?? code.replaceAll("_", " ");
}
