import type { en } from "../en/connector-keys";

export const de: typeof en = {
  title: "Schlüssel der Konnektoren",
  lead: "Sie verschlüsseln Tokens von Personen bei Drittanbietern und die Secrets der Konnektoren. Neues verschlüsselt der aktive Schlüssel; ältere lesen nur.",
  views: "Arten von Schlüsseln",
  signing: "Signaturschlüssel",
  connector: "Schlüssel der Konnektoren",
  states: {
    ready: "Der aktive Schlüssel funktioniert, aber etwas anderes stimmt nicht",
    not_configured: "Kein Schlüssel ist gesetzt",
    malformed: "Der Schlüssel lässt sich nicht verwenden",
    unknown_key: "Der Schlüssel ist nicht bekannt",
    unreadable: "Der Schlüssel passt nicht",
    unavailable: "Der Schlüssel ist nicht erreichbar",
  },
  notConfigured: "Konnektoren lassen sich ohne Schlüssel nicht verwenden. Alles andere geht.",
  howTo: "So entsteht ein Schlüssel",
  active: "Verschlüsselt",
  reads: "Liest nur",
  missing: "Fehlt",
  uses: (connections, connectionsText, connectors, connectorsText) => {
    if (connections + connectors === 0) return "Damit ist nichts verschlüsselt.";
    const people = connections === 1 ? "eine Verbindung" : `${connectionsText} Verbindungen`;
    const secrets =
      connectors === 1 ? "das Secret eines Konnektors" : `die Secrets von ${connectorsText} Konnektoren`;
    if (connectors === 0) return `Schützt ${people}.`;
    if (connections === 0) return `Schützt ${secrets}.`;
    return `Schützt ${people} und ${secrets}.`;
  },
  missingAdvice: (inVault, variable) =>
    `Was er verschlüsselt hat, ist nicht lesbar. ${inVault ? "Lassen Sie den Server diesen Schlüssel in Vault oder OpenBao wieder verwenden" : `Bringen Sie ihn in ${variable} zurück`} und starten Sie neu. Ist er verloren, verbinden sich Personen neu, und Konnektoren brauchen ihr Secret noch einmal.`,
  obsolete: "Schlüsseln Sie es unten auf den aktiven um. Danach kann dieser aus der Konfiguration.",
  removable: "Er kann aus der Konfiguration.",
  rewrap: {
    title: "Umschlüsseln auf den aktiven Schlüssel",
    lead: "Nach einem Schlüsselwechsel: Was ältere Schlüssel schützen, bekommt den aktiven, Stück für Stück. Tokens ändern sich nicht, niemand merkt etwas, und man kann jederzeit anhalten und weitermachen.",
    run: (count) => `${count} umschlüsseln`,
    resume: "Weitermachen",
    stop: "Anhalten",
    progress: "Umgeschlüsselt",
    of: (done, total) => `${done} von ${total}`,
    working: "Wer diese Seite verlässt, hält nach dem laufenden Stück an.",
    stopped: (left) => `Angehalten. ${left} fehlen noch; machen Sie weiter, wann es Ihnen passt.`,
    done: (count, text) => (count === 1 ? "Eines ist umgeschlüsselt." : `${text} sind umgeschlüsselt.`),
    finished: "Alles Lesbare ist mit dem aktiven Schlüssel verschlüsselt.",
    stuck: "Mehr geht im Moment nicht. Laden Sie die Seite neu, um zu sehen, was fehlt.",
    unreadable: (count, text) =>
      count === 1
        ? "Eines war nicht lesbar, weil sein Schlüssel fehlt."
        : `${text} waren nicht lesbar, weil ihr Schlüssel fehlt.`,
    nothing: "Alles ist mit dem aktiven Schlüssel verschlüsselt.",
    nothingReadable:
      "Es gibt nichts umzuschlüsseln. Was mit einem fehlenden Schlüssel verschlüsselt ist, wartet, bis er wieder da ist.",
  },
};
