import type { en } from "../en/assignments";

export const de: typeof en = {
  title: "Zuweisungen",
  lead: "Wer welchen Scope hat: eine Adresse oder alle in einer Gruppe.",
  plural: "Zuweisungen",
  create: "Berechtigungen geben",
  columns: { who: "Wer", scope: "Scope", since: "Seit" },
  groupOf: (provider) => `Gruppe aus ${provider}`,
  neverSignedIn: "War noch nie angemeldet",
  disabled: "Gesperrt",
  filterScope: "Alle Scopes",
  onlyEmail: (email) => `Nur ${email}`,
  onlyGroup: (group) => `Nur Gruppe ${group}`,
  removeFilter: "Filter entfernen",
  empty: {
    title: "Noch darf niemand etwas",
    text: "Geben Sie einer Person oder einer Gruppe einen Scope. Das geht auch vor der ersten Anmeldung.",
  },
  remove: "Entziehen",
  removeTitle: (count) => (count === 1 ? "Diese Zuweisung entziehen?" : `${count} Zuweisungen entziehen?`),
  removeText:
    "Von jetzt an wird dafür nichts mehr erteilt. Was Dienste erteilt haben, endet binnen zehn Minuten.",
  removeSubmit: "Entziehen",
  removed: (count) => (count === 1 ? "Die Zuweisung ist entzogen." : `${count} Zuweisungen sind entzogen.`),
  more: (count) => `und ${count} weitere`,
  newTitle: "Berechtigungen geben",
  to: "An wen?",
  toPeople: "Personen",
  toGroup: "Eine Gruppe",
  emails: "E-Mail-Adressen",
  emailsHelp:
    "Von Personen, die sich schon angemeldet haben oder es noch tun. Sie können eine Liste einfügen.",
  provider: "Gruppenquelle",
  group: "Gruppe",
  groupHelp: "Genau so, wie die Quelle sie nennt.",
  noProviders:
    "Es gibt noch keine Gruppenquelle. Richten Sie eine ein, um die Gruppen Ihres Verzeichnisses zu verwenden.",
  setUpProvider: "Gruppenquelle einrichten",
  scopes: "Scopes",
  scopesHelp: "Jeden davon bekommen alle, die oben stehen.",
  save: "Berechtigungen geben",
  saved: "Die Berechtigungen sind vergeben.",
  missing: {
    emails: "Nennen Sie mindestens eine Adresse.",
    group: "Nennen Sie eine Gruppe.",
    scopes: "Wählen Sie mindestens einen Scope.",
  },
};
