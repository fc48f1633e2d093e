import type { en } from "../en/overview";

export const de: typeof en = {
  title: "Übersicht",
  good: (name) => `${name} läuft. Nichts braucht Ihre Aufmerksamkeit.`,
  steps: (name, count) =>
    count === 1 ? `${name} läuft. Ein Schritt fehlt noch.` : `${name} läuft. ${count} Schritte fehlen noch.`,
  attention: (count) =>
    count === 1 ? "Eine Sache braucht Ihre Aufmerksamkeit." : `${count} Dinge brauchen Ihre Aufmerksamkeit.`,
  newest: "Das neueste Ereignis war",
  notCounted: "Anfragen werden nach wenigen Sekunden gezählt. Bisher gab es keine.",
  facts: {
    people: "Personen",
    resources: "Dienste",
    scopes: "Scopes",
    assignments: "Zuweisungen",
    providers: "Anmeldeanbieter",
    skills: "Eigene Skills",
  },
  next: "Was als Nächstes ansteht",
  hints: {
    add_provider: {
      title: "Anmeldeanbieter hinzufügen",
      detail: "Ohne einen kann sich niemand anmelden.",
      button: "Anmeldeanbieter hinzufügen",
    },
    rotate_signing_key: {
      title: "Signaturschlüssel wechseln",
      detail: "Er signiert schon lange. Beim Wechsel wird keine Anfrage abgelehnt.",
      button: "Schlüssel ansehen",
    },
    restore_connector_key: {
      title: "Ein Schlüssel der Konnektoren fehlt",
      detail:
        "Secrets oder Tokens sind mit einem Schlüssel verschlüsselt, den dieser Server nicht hat. Sie lassen sich nicht benutzen.",
      button: "Schlüssel ansehen",
    },
    repair_connectors: {
      title: "Bei manchen Konnektoren müssen die meisten ihr Konto neu verbinden",
      detail: "Vielleicht gilt dort die Client-ID oder das Secret nicht mehr.",
      button: "Konnektoren ansehen",
    },
    repair_catalogs: {
      title: "Manche Skill-Kataloge lassen sich nicht holen",
      detail: "Agenten lesen von diesen Diensten den letzten guten Stand oder nichts.",
      button: "Kataloge ansehen",
    },
    add_resource: {
      title: "Ersten Dienst anmelden",
      detail: "Fügen Sie seine Adresse ein. Was er veröffentlicht, wird gelesen und geprüft.",
      button: "Dienst anmelden",
    },
    assign_log_in: {
      title: "Die Kommandozeile erlauben",
      detail: "Noch niemand hat authz:login. Geben Sie es einer Gruppe oder einzelnen Personen.",
      button: "authz:login vergeben",
    },
    assign_scopes: {
      title: "Zugriff auf Ihre Dienste geben",
      detail: "Dienste sind angemeldet, aber noch niemand hat einen ihrer Scopes.",
      button: "Berechtigungen vergeben",
    },
    add_administrator: {
      title: "Zweite Person für die Verwaltung bestimmen",
      detail: "Eine allein kann fehlen, wenn etwas zu tun ist.",
      button: "Person bestimmen",
    },
    name_installation: {
      title: "Der Installation einen Namen geben",
      detail: "Den Namen sehen alle, die sich anmelden. Ein Logo passt dazu.",
      button: "Einstellungen öffnen",
    },
  },
  requests: "Anfragen",
  range: "Zeitraum",
  hours: "24 Stunden",
  days: "30 Tage",
  issued: "Erteilt",
  denied: "Abgelehnt",
  asChart: "Als Diagramm zeigen",
  asTable: "Als Tabelle zeigen",
  quietLeftOut: "Zeiten ohne Anfragen sind weggelassen.",
  hour: "Stunde",
  day: "Tag (UTC)",
  summary: (issued, denied) => `${issued} erteilt, ${denied} abgelehnt.`,
  nothingHours: "In den letzten 24 Stunden hat niemand etwas angefragt.",
  nothingDays: "In den letzten 30 Tagen hat niemand etwas angefragt.",
  showDenied: "Abgelehntes ansehen",
  chartLoading: "Das Diagramm wird geladen …",
  topResources: "Meistgenutzte Dienste",
  topSkills: "Meistgelesene Skills",
  lastDays: "In den letzten 30 Tagen",
  noResources: "Noch wurde kein Dienst genutzt. Sobald jemand eine Anfrage stellt, stehen die Dienste hier.",
  noSkills: "Noch hat kein Agent einen Skill gelesen.",
  unregistered: "nicht mehr angemeldet",
  times: (count) => `${count}-mal`,
  catalogs: "Skill-Kataloge",
  noCatalogs: "Noch veröffentlicht kein Dienst Skills. Tut es einer, werden sie alle paar Minuten geholt.",
  catalogsFine: (total) =>
    total === "1" ? "Der eine, den es gibt, ist aktuell." : `Alle ${total} sind aktuell.`,
  catalogsSome: (fresh, total) => `${fresh} von ${total} sind aktuell.`,
  catalogsPending: (count) =>
    count === "1" ? "Einer wird zum ersten Mal geholt." : `${count} werden zum ersten Mal geholt.`,
  seeCatalogs: "Alle ansehen",
  keys: "Signaturschlüssel",
  keyAge: (days, text) =>
    days === 0
      ? "Der aktive Schlüssel signiert seit heute."
      : days === 1
        ? "Der aktive Schlüssel signiert seit gestern."
        : `Der aktive Schlüssel signiert seit ${text} Tagen.`,
  keyFine: "Ein Wechsel steht nicht an.",
  noKey: "Kein Schlüssel ist aktiv. Es kann nichts ausgestellt werden.",
  seeKeys: "Schlüssel ansehen",
};
