import type { en } from "../en/connections";

export const de: typeof en = {
  lead: "Konten, die Personen verbunden haben. Sie sehen, wessen und in welchem Zustand, nie was darin ist.",
  plural: "Personen",
  columns: {
    person: "Person",
    connector: "Konnektor und Konto",
    account: "Konto dort",
    state: "Zustand",
    connected: "Verbunden",
    used: "Zuletzt benutzt",
  },
  states: {
    connected: "Verbunden",
    reconnect_required: "Neu zu verbinden",
    disconnecting: "Wird getrennt",
  },
  reasons: {
    refused: "Der Drittanbieter nimmt sie nicht mehr an: dort widerrufen oder zu alt.",
    rotation_lost:
      "Eine Erneuerung wurde unterbrochen, und der Drittanbieter nimmt das alte Token nicht mehr an.",
    grant_shrunk: "Dort wurde ein nötiger Scope entzogen.",
    expired: "Ihre Zeit ist abgelaufen, und der Drittanbieter erlaubt keine Erneuerung.",
    unreadable: "Ihre Tokens waren nicht lesbar.",
    client_changed: "Der Konnektor verwendet dort jetzt eine andere Anwendung.",
  },
  unreadable: "Nicht lesbar",
  unreadableText: "Der Schlüssel, der sie schützt, fehlt auf diesem Server.",
  anyState: "Jeder Zustand",
  anyConnector: "Jeder Konnektor",
  noAccount: "Konto nicht genannt",
  onlyPerson: (name) => `Nur ${name}`,
  empty: {
    title: "Noch hat niemand ein Konto verbunden",
    text: "Personen verbinden sich auf ihrer eigenen Seite oder mit „authz connections connect“. Sie brauchen die Berechtigungen, die der Konnektor verlangt.",
  },
  disconnect: "Trennen",
  disconnectTitle: (person, connector) => `${person} von ${connector} trennen?`,
  disconnectText:
    "Aufrufe werden sofort abgelehnt. Der Server widerruft den Zugriff beim Drittanbieter und löscht die Tokens. Die Person kann sich neu verbinden.",
  disconnectSubmit: "Trennen",
  confirmed: "Getrennt. Der Drittanbieter hat bestätigt, dass der Zugriff widerrufen ist.",
  outcome: {
    title: "Getrennt",
    unconfirmed:
      "Die Tokens sind hier gelöscht, aber der Drittanbieter hat den Widerruf nicht bestätigt. Bitten Sie die Person, diese Anwendung in den Einstellungen ihres Kontos dort zu entfernen.",
    unsupported:
      "Die Tokens sind hier gelöscht. Diesen Drittanbieter kann man nicht um einen Widerruf bitten; der Zugriff endet dort von selbst. Sofort beenden kann ihn die Person in den Einstellungen ihres Kontos dort.",
  },
  ofPerson: {
    title: "Verbundene Konten",
    lead: "Was die Agenten der Person bei Drittanbietern verwenden können.",
    none: "Kein Konto ist verbunden.",
    used: "zuletzt benutzt:",
    showAll: "Alle zeigen",
  },
};
