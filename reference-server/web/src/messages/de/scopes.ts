import type { en } from "../en/scopes";

export const de: typeof en = {
  title: "Scopes",
  lead: "Ein Scope benennt eine Sache, die Personen tun dürfen, etwa Verträge lesen.",
  plural: "Scopes",
  create: "Scope anlegen",
  createTitle: "Neuer Scope",
  createSubmit: "Scope anlegen",
  columns: {
    key: "Scope",
    description: "Was er erlaubt",
    resources: "Dienste",
    assignments: "Zuweisungen",
  },
  system: "Gehört zum Server",
  empty: {
    title: "Noch keine Scopes",
    text: "Legen Sie für alles einen an, was einzeln erlaubt werden soll, zum Beispiel contracts:read und contracts:write.",
  },
  key: "Schlüssel",
  keyHelp: "Das prüfen die Dienste, zum Beispiel contracts:read. Später lässt er sich nicht mehr ändern.",
  description: "Beschreibung",
  descriptionHelp:
    "Sagt, was man damit darf. Das lesen Beschäftigte, wenn sie ein Gerät zulassen, und Agenten, wenn etwas fehlt.",
  systemHelp: "Dieser Scope gehört zum Server selbst. Er lässt sich weder ändern noch löschen.",
  usedBy: "Dienste, die ihn prüfen",
  usedByNone: "Noch kein Dienst unterstützt diesen Scope.",
  assignments: (count) => `Zuweisungen (${count})`,
  showAssignments: "Zeigen, wer ihn hat",
  delete: "Löschen",
  deleteTitle: (key) => `${key} löschen?`,
  deleteText: "Nichts verwendet ihn. Dienste lassen sich danach nicht mehr mit ihm anmelden.",
  deleteSubmit: "Scope löschen",
  deleted: (key) => `${key} ist gelöscht.`,
  inUseTitle: (key) => `${key} wird verwendet`,
  inUseText:
    "Löschen lässt er sich, wenn kein Dienst ihn prüft und niemand ihn mehr hat. Beides steht auf dieser Seite.",
};
