import type { en } from "../en/resources";

export const de: typeof en = {
  title: "Dienste",
  lead: "Alle APIs, die Personen mit ihren eigenen Berechtigungen aufrufen dürfen. Für einen Dienst, der hier fehlt, wird nichts ausgestellt.",
  plural: "Dienste",
  register: "Dienst anmelden",
  columns: { name: "Dienst", resource: "Adresse", scopes: "Scopes", state: "Zustand", changed: "Geändert" },
  enabled: "In Betrieb",
  disabled: "Abgeschaltet",
  skillsOn: "Skills werden gelesen",
  empty: {
    title: "Noch keine Dienste",
    text: "Fügen Sie die Adresse eines Dienstes ein, der eines der Authz-Pakete verwendet. Alles Weitere wird dort gelesen und geprüft.",
  },
  fields: {
    name: "Name",
    nameHelp: "So kennen ihn Administratoren, Beschäftigte und Agenten.",
    key: "Schlüssel",
    keyHelp: "Kurz und dauerhaft. Die Kennungen seiner Skills beginnen damit.",
    resource: "Kennung der Ressource",
    resourceHelp: "So nennt der Dienst sich selbst; dafür werden Zugriffstoken ausgestellt.",
    authorizationServer: "Autorisierungsserver des Dienstes",
    authorizationServerHelp:
      "Tauscht eine Identitätszusicherung gegen ein Zugriffstoken. Meist ist es der Dienst selbst.",
    clientId: "Client-Kennung",
    clientIdHelp: "Unter diesem Namen kennt der Dienst das Kommandozeilenprogramm.",
    requestPrefixes: "Wohin Anfragen gehen dürfen",
    requestPrefixesHelp: "Nur an Adressen, die so beginnen, senden Clients Zugangsdaten.",
    addPrefix: "Adresse hinzufügen",
    supportedScopes: "Scopes",
    supportedScopesHelp: "Das prüft der Dienst. Etwas anderes wird für ihn nie ausgestellt.",
    enabled: "In Betrieb",
    enabledHelp:
      "Ist er abgeschaltet, wird nichts mehr ausgestellt. Vorhandene Token enden nach wenigen Minuten.",
    skillDiscovery: "Seine Skills lesen",
    skillDiscoveryHelp: "Holt von Zeit zu Zeit, was der Dienst Agenten an Anleitung gibt.",
    allowsBearer: "Zusicherungen ohne gebundenen Schlüssel zulassen",
    allowsBearerHelp:
      "Nur für Dienste, die keine DPoP-Nachweise prüfen können. Eine gestohlene Zusicherung ist dann für jeden brauchbar.",
  },
  whoCan: "Wer darf ihn nutzen?",
  checkAgain: "Neu prüfen",
  checks: {
    title: "Passt alles noch zusammen?",
    lead: "Was der Dienst über sich sagt, wird neu gelesen und mit dem verglichen, was hier gespeichert ist.",
    run: "Jetzt prüfen",
  },
  delete: "Löschen",
  deleteTitle: (name) => `${name} löschen?`,
  deleteText:
    "Für diesen Dienst bekommt niemand mehr ein Token, und seine Skills verschwinden. Zuweisungen seiner Scopes bleiben.",
  deleteSubmit: "Dienst löschen",
  deleted: (name) => `${name} ist gelöscht.`,
  wizard: {
    lead: "Fügen Sie die Adresse des Dienstes ein. Was er über sich sagt, wird gelesen und geprüft; gespeichert wird noch nichts.",
    origin: "Adresse des Dienstes",
    originHelp: "Schema und Host, zum Beispiel https://contracts.acme.example",
    inspect: "Lesen und prüfen",
    inspecting: "Liest, was der Dienst über sich sagt …",
    byHand: "Alles selbst eintragen",
    checks: "Was gefunden wurde",
    passed: "In Ordnung",
    warning: "Bitte ansehen",
    failed: "Fehlgeschlagen",
    summary: (passed, warnings, failed) =>
      [
        `${passed} in Ordnung`,
        warnings > 0 && `${warnings} bitte ansehen`,
        failed > 0 && `${failed} fehlgeschlagen`,
      ]
        .filter(Boolean)
        .join(", "),
    notReady: "Beheben Sie am Dienst, was fehlgeschlagen ist, und prüfen Sie dann neu.",
    draft: "So speichern",
    draftLead: "Vom Dienst gelesen. Ändern Sie, was hier anders sein soll.",
    unknownScopes: "Neue Scopes",
    unknownScopesLead:
      "Diese prüft der Dienst, und hier kennt sie noch niemand. Sie werden zusammen mit dem Dienst angelegt.",
    describeScope: (key) => `Was erlaubt ${key}?`,
    save: "Dienst anmelden",
    saved: (name) => `${name} ist angemeldet.`,
    manualTitle: "Dienst von Hand anmelden",
  },
};
