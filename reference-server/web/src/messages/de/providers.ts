import type { en } from "../en/providers";

export const de: typeof en = {
  title: "Anmeldeanbieter",
  lead: "Wo man sich anmeldet: die OpenID-Anbieter Ihres Unternehmens.",
  plural: "Anmeldeanbieter",
  create: "Anbieter hinzufügen",
  createTitle: "Anmeldeanbieter hinzufügen",
  createSubmit: "Anbieter hinzufügen",
  columns: { name: "Anbieter", issuer: "Issuer", domains: "Domains", people: "Personen", state: "Zustand" },
  enabled: "In Gebrauch",
  disabled: "Ausgeschaltet",
  everyDomain: "Jede Domain",
  empty: {
    title: "Noch kein Anmeldeanbieter",
    text: "Fügen Sie den OpenID-Anbieter Ihres Unternehmens hinzu, damit man sich anmelden kann.",
  },
  preset: "Welcher Anbieter ist es?",
  presets: { other: "Ein anderer OpenID-Anbieter" },
  notes: {
    google:
      "Legen Sie in der Google-Cloud-Konsole einen OAuth-Client vom Typ „Webanwendung“ an. Ein Google-Konto kann jeder haben: Nennen Sie unten Ihre Domains.",
    entra:
      "Registrieren Sie im Entra Admin Center eine Anwendung mit der Plattform „Web“. Fügen Sie unter „Tokenkonfiguration“ die optionalen Ansprüche email und xms_edov hinzu: Ohne sie sagt Entra ID nicht, ob eine Adresse bestätigt ist.",
    okta: "Legen Sie in der Okta-Administration eine App-Integration an: „OIDC“, dann „Web Application“.",
    keycloak:
      "Legen Sie einen OpenID-Connect-Client mit eingeschalteter „Client authentication“ an. Adressen müssen im Realm als bestätigt gelten.",
    auth0: "Legen Sie eine „Regular Web Application“ an. Der Issuer endet mit einem Schrägstrich.",
    other:
      "Registrieren Sie eine Web-Anwendung für den Authorization Code Flow, mit Client-Secret, wenn es eines geben kann.",
  },
  documentation: "So beschreibt es der Hersteller",
  callback: "Registrieren Sie dort eine Anwendung mit dieser Callback-Adresse:",
  fields: {
    name: "Name",
    nameHelp: "Steht auf der Schaltfläche der Anmeldeseite, solange sie keinen eigenen Text hat.",
    buttonLabel: "Text der Schaltfläche",
    buttonLabelHelp: "Das steht auf der Anmeldeseite. Leer: der Name.",
    key: "Schlüssel",
    keyHelp:
      "Kurz und dauerhaft, etwa acme. Gruppenquellen und das Protokoll nennen den Anbieter bei diesem Namen.",
    issuer: "Issuer",
    issuerHelp: "Zeichen für Zeichen, wie der Anbieter ihn schreibt, mit oder ohne Schrägstrich am Ende.",
    issuerBraces: "Ersetzen Sie, was in Klammern steht, durch Ihre Angaben vom Anbieter.",
    clientId: "Client-ID",
    clientIdHelp: "Vergibt der Anbieter, wenn Sie die Anwendung dort registrieren.",
    clientSecret: "Client-Secret",
    clientSecretHelp:
      "Wird verschlüsselt gespeichert und nie wieder angezeigt. Hat der Client keines, wählen Sie „Kein Secret“ unter „Weitere Einstellungen“.",
    clientSecretKept:
      "Gespeichert. Leer lassen, um es zu behalten; eine neue Adresse braucht es noch einmal.",
    clientSecretNone: "Keines, denn der Client beweist nichts.",
    allowedEmailDomains: "Domains der E-Mail-Adressen",
    allowedEmailDomainsHelp:
      "Nur wer eine solche Adresse hat, darf sich anmelden. Leer: alle, die der Anbieter kennt.",
    scopes: "Angefragte Scopes",
    scopesHelp:
      "Worum der Anbieter bei jeder Anmeldung gebeten wird. openid, profile und email genügen meistens.",
    tokenEndpointAuthMethod: "Wie der Server beweist, wer er ist",
    discoveryUrl: "Adresse der Metadaten",
    discoveryUrlHelp: "Nur wenn sie nicht der Issuer mit /.well-known/openid-configuration dahinter ist.",
    enabled: "In Gebrauch",
    enabledHelp:
      "Ausgeschaltet kann sich dort niemand anmelden, und die Sitzungen von dort enden. Der letzte Anbieter, der funktioniert, bleibt an.",
  },
  authMethods: {
    metadata: "Wie es in den Metadaten des Anbieters steht",
    client_secret_basic: "Secret im Header (client_secret_basic)",
    client_secret_post: "Secret im Formular (client_secret_post)",
    none: "Kein Secret, nur PKCE",
  },
  more: "Weitere Einstellungen",
  check: {
    title: "Prüfung",
    lead: "Sieht sich an, was ohne Anmeldung zu sehen ist. Gespeichert wird nichts, und das Secret wird nicht gesendet.",
    run: "Diese Angaben prüfen",
    again: "Noch einmal prüfen",
    stale: "Seit dieser Prüfung haben Sie etwas geändert.",
    incomplete: "Berichtigen Sie zuerst diese Felder:",
    good: "Alles, was von hier aus zu sehen ist, stimmt.",
    bad: (failed) =>
      failed === 1
        ? "Eine Prüfung ist fehlgeschlagen. So kann sich niemand anmelden."
        : `${failed} Prüfungen sind fehlgeschlagen. So kann sich niemand anmelden.`,
    look: "Was von hier aus zu sehen ist, stimmt. Sehen Sie sich an, was markiert ist.",
  },
  people: (count) => `Personen, die sich hier angemeldet haben: ${count}`,
  showSessions: "Sitzungen von dort zeigen",
  groups: "Gruppen",
  groupsFrom: "Seine Gruppen verwendet die Gruppenquelle",
  groupsNone: "Seine Gruppen werden nicht verwendet.",
  groupsUse: "Gruppen verwenden",
  delete: "Löschen",
  deleteTitle: (name) => `${name} löschen?`,
  deleteText: "Personen bleiben, aber ihre Konten dort werden vergessen. Sitzungen von dort enden.",
  deleteSubmit: "Anbieter löschen",
  deleted: (name) => `${name} ist gelöscht.`,
};
