import { html } from "../html.js";
import type { connectionsEnglish } from "./connections-english.js";

/** The words about accounts at third parties in German. */
export const connectionsGerman: typeof connectionsEnglish = {
  title: "Verbindungen",
  lead: "Ihre Konten bei anderen Diensten, die Ihre Agenten über diesen Server benutzen können. Der Zugriff darauf verlässt ihn nie.",
  notConnected: "nicht verbunden",
  disconnecting: "wird gerade getrennt",
  connectAgain: "Verbinden Sie es neu.",
  reasons: {
    refused: (name) => `${name} nimmt den Zugriff nicht mehr an: Er wurde dort entzogen oder ist abgelaufen.`,
    rotation_lost: (name) =>
      `Ein neuer Zugriff von ${name} ging unterwegs verloren, und der alte gilt nicht mehr.`,
    grant_shrunk: (name) => `Eine nötige Berechtigung fehlt bei ${name}.`,
    expired: (name) => `Der Zugriff auf ${name} ist abgelaufen und lässt sich nicht erneuern.`,
    unreadable: () => "Der gespeicherte Zugriff ist nicht mehr lesbar.",
    client_changed: (name) => `Die Administration hat geändert, wie ${name} verbunden wird.`,
  },
  account: (label) => `als ${label}`,
  lastUsed: (date) => `zuletzt benutzt ${date}`,
  neverUsed: "noch nicht benutzt",
  lacks: (scopes) => html`Ihnen fehlt ${scopes}`,
  connect: "Verbinden",
  connectOf: (name) => `${name} verbinden`,
  reconnect: "Neu verbinden",
  reconnectOf: (name) => `${name} neu verbinden`,
  disconnect: "Trennen",
  disconnectOf: (name) => `${name} trennen`,
  ask: {
    title: (name) => `${name} verbinden?`,
    heading: (name) => html`Ihr Konto bei ${name} verbinden?`,
    lead: (name, installation) =>
      `${name} wird Sie um den Zugriff für ${installation} bitten. Agenten, die für Sie handeln, können Ihr Konto dort dann benutzen.`,
    fromClient: (client) =>
      html`<strong>${client}</strong> bittet darum. Machen Sie nur weiter, wenn Sie das selbst begonnen haben.`,
    scopes: (name) => `Worum ${name} gebeten wird`,
    required: "nötig",
    abilities: "Was Agenten dann können",
    reading: "Lesen, was unter diesen Adressen liegt:",
    changing: "Lesen und ändern, was unter diesen Adressen liegt:",
    deleting: "Lesen, ändern und löschen, was unter diesen Adressen liegt:",
    hint: "Der Zugriff bleibt auf diesem Server. Agenten sehen ihn nie, und jede Benutzung wird aufgezeichnet.",
    cancel: "Abbrechen",
    continue: (name) => `Weiter zu ${name}`,
  },
  going: {
    title: (name) => `Weiter zu ${name}`,
    link: (name) => `Weiter zu ${name}`,
  },
  connected: {
    title: (name) => `${name} ist verbunden`,
    account: (label) => `Das Konto ist ${label}.`,
    terminal:
      "Gehen Sie zurück ins Terminal: Dort geht es von selbst weiter. Diese Seite können Sie schließen.",
    hint: (accountPage) => html`Trennen können Sie es jederzeit auf ${accountPage}.`,
    accountPage: "Ihrer Kontoseite",
  },
  failed: {
    title: (name) => `${name} wurde nicht verbunden`,
    failures: {
      access_denied: (name) =>
        `${name} durfte den Zugriff nicht geben: Sie haben dort abgelehnt, oder ${name} hat es.`,
      cancelled: () => "Sie haben abgebrochen. Es wurde um nichts gebeten.",
      scope_missing: (name) =>
        `Eine nötige Berechtigung fehlte bei ${name}; was Sie erlaubt haben, wurde zurückgegeben. Verbinden Sie noch einmal und erlauben Sie sie.`,
      other_account: (name) =>
        `Sie haben bei ${name} ein anderes Konto gewählt als das verbundene. Wählen Sie dieses, oder trennen Sie es zuerst.`,
      issuer_mismatch: (name) =>
        `Die Antwort kam nicht von ${name}. Es wurde nichts angenommen. Geschieht es wieder, sagen Sie der Administration Bescheid.`,
      account_unknown: (name) =>
        `${name} hat nicht gesagt, wessen Konto es ist; was Sie erlaubt haben, wurde zurückgegeben. Die Administration muss die Adresse prüfen, die das Konto nennt.`,
      provider_error: (name) =>
        `${name} hat eine Antwort geschickt, mit der sich nichts anfangen lässt. Versuchen Sie es noch einmal; geschieht es wieder, sagen Sie der Administration Bescheid.`,
      provider_unreachable: (name) =>
        `${name} ist gerade nicht erreichbar. Versuchen Sie es in einer Minute wieder; bleibt es so, sagen Sie der Administration Bescheid.`,
      client_refused: (name) =>
        `${name} kennt diesen Server nicht. Die Administration muss Client-ID und Secret prüfen.`,
      insufficient_scope: (name) =>
        `Ihnen fehlt eine Berechtigung für ${name}. Fragen Sie die Administration danach.`,
      directory_unavailable: () =>
        "Das Verzeichnis, das Ihre Gruppen kennt, antwortet nicht. Ihre Berechtigungen lassen sich deshalb nicht prüfen. Verbinden Sie das Konto in einigen Minuten noch einmal.",
      not_found: (name) =>
        `${name} lässt sich nicht mehr verbinden. Die Administration hat es abgeschaltet oder entfernt.`,
      disconnecting: (name) =>
        `Ihr Konto bei ${name} wird gerade getrennt. Versuchen Sie es in einer Minute wieder.`,
      conflict: (name) =>
        `Ein anderer Versuch war schneller, oder ${name} wurde gerade von der Administration geändert. Sehen Sie Ihre Verbindungen an, und versuchen Sie es noch einmal, wenn etwas fehlt.`,
      connector_key_unavailable: () =>
        "Der Schlüssel, der gespeicherte Zugriffe schützt, ist nicht verfügbar. Die Administration muss AUTHZ_CONNECTOR_KEK prüfen.",
      server_error: () =>
        "Der Server hat einen Fehler. Versuchen Sie es noch einmal; geschieht es wieder, sagen Sie der Administration Bescheid.",
    },
    terminal: "Um es noch einmal zu versuchen, gehen Sie zurück ins Terminal und beginnen Sie von vorn.",
    accountPage: "Ihr Konto",
  },
  over: {
    title: "Dieser Versuch ist vorbei",
    paragraphs: [
      "Er wurde schon benutzt, hat länger als zehn Minuten gedauert, oder er begann in einem anderen Browser oder mit einem anderen Konto.",
      "Beginnen Sie von vorn, im Terminal oder auf Ihrer Kontoseite.",
    ],
  },
  notYours: {
    title: "Das ist nicht Ihres",
    paragraphs: [
      "Für das Konto, mit dem Sie angemeldet sind, gibt es unter dieser Adresse nichts zu verbinden. Vielleicht hat es jemand anders begonnen, oder es ist vorbei.",
      "Ist es Ihres, melden Sie sich mit dem Konto an, das Sie im Terminal benutzen. Sonst schließen Sie diese Seite.",
    ],
    switchAccount: "Ein anderes Konto benutzen",
  },
  end: {
    title: (name) => `${name} trennen?`,
    account: (label) => `Verbunden ist das Konto ${label}.`,
    effects: (name) => [
      "Agenten können das Konto von diesem Augenblick an nicht mehr benutzen.",
      `${name} wird gesagt, dass der Zugriff enden soll, soweit das geht.`,
      "Was hier gespeichert ist, wird gelöscht. Um es wieder zu benutzen, verbinden Sie es neu.",
    ],
    keep: "Behalten",
    disconnect: "Trennen",
  },
  ended: {
    title: (name) => `${name} ist getrennt`,
    revocations: {
      confirmed: (name) => `${name} hat bestätigt, dass der Zugriff beendet ist.`,
      unconfirmed: (name) =>
        `Der Dienst hat den Widerruf nicht bestätigt. Hier ist nichts mehr gespeichert, aber ${name} nimmt den Zugriff vielleicht noch an: Entfernen Sie ihn dort.`,
      unsupported: (name) =>
        `Hier ist nichts mehr gespeichert. Bei ${name} lässt sich der Zugriff von hier aus nicht beenden: Entfernen Sie ihn auch dort.`,
    },
    removeThere: (name) => `Zugriff bei ${name} entfernen`,
    removeSomewhere: (name) =>
      `Sehen Sie in den Einstellungen Ihres Kontos bei ${name} unter verbundenen oder autorisierten Anwendungen nach.`,
    nothing: (name) => `Bei ${name} gibt es kein Konto zu trennen, oder es wird schon getrennt.`,
  },
};
