import type { en } from "../en/keys";

export const de: typeof en = {
  title: "Signaturschlüssel",
  lead: "Der Server unterschreibt mit einem Schlüssel. Ein neuer wird eine Weile vorher veröffentlicht, ein alter bleibt eine Weile danach, damit kein Dienst ein Token ablehnt.",
  stage: "Neuen Schlüssel bereitstellen",
  staged: "Ein neuer Schlüssel ist bereitgestellt. Er steht jetzt im Schlüsselsatz.",
  staging: "Neuen Schlüssel bereitstellen?",
  stagingText:
    "Er steht sofort im Schlüsselsatz und unterschreibt noch nichts. Dienste lesen den Schlüsselsatz von Zeit zu Zeit; nach einer Viertelstunde kennen ihn alle, und Sie können ihn einsetzen.",
  states: { staged: "Der nächste", active: "Unterschreibt", retired: "Unterschreibt nicht mehr" },
  days: (days, text) => (days === 0 ? "seit heute" : days === 1 ? "seit gestern" : `seit ${text} Tagen`),
  sentences: {
    active: (age) => `Unterschreibt ${age} alles.`,
    stagedEarly: "Veröffentlicht, aber vielleicht kennt ihn noch nicht jeder Dienst. Er darf unterschreiben:",
    stagedReady: "Veröffentlicht, und inzwischen kennt ihn jeder Dienst.",
    retiredPublished: "Prüft nur noch, was er unterschrieben hat. Er verlässt den Schlüsselsatz",
    retiredGone: "Nicht mehr im Schlüsselsatz. Was er unterschrieben hat, gilt nicht mehr.",
    withdrawn: "Zurückgezogen, bevor er etwas unterschrieben hat.",
  },
  facts: {
    staged: "Bereitgestellt",
    activatable: "Darf unterschreiben ab",
    activated: "Unterschreibt seit",
    retired: "Abgelöst",
    published: "Im Schlüsselsatz bis",
    source: "Kommt aus",
  },
  sources: { environment: "der Umgebung des Servers", generated: "dem Server selbst" },
  advice: {
    stage_next:
      "Bald ist ein Wechsel fällig: Stellen Sie jetzt den nächsten Schlüssel bereit, und setzen Sie ihn ein, wenn jeder Dienst ihn kennt.",
    rotation_overdue:
      "Der Wechsel ist überfällig: Stellen Sie einen anderen Schlüssel bereit und setzen Sie ihn ein.",
    activate_when_ready:
      "Warten Sie, bis die Dienste den Schlüsselsatz gelesen haben. Setzen Sie ihn dann ein.",
    activate_now: "Setzen Sie ihn ein, wann es Ihnen passt.",
  },
  activate: "Einsetzen",
  activateTitle: "Mit diesem Schlüssel unterschreiben?",
  activateText: (active) =>
    active === undefined
      ? "Er unterschreibt ab jetzt alles."
      : `Er unterschreibt ab jetzt alles. Der Schlüssel ${active} unterschreibt nicht mehr und bleibt im Schlüsselsatz, bis abgelaufen ist, was er unterschrieben hat. Niemand merkt etwas davon.`,
  activateSubmit: "Schlüssel einsetzen",
  activated: "Der Schlüssel unterschreibt jetzt.",
  emergency: "Der aktive Schlüssel ist in falschen Händen: nicht warten",
  emergencyHelp:
    "Dienste, die den Schlüsselsatz noch nicht gelesen haben, lehnen einige Minuten lang ab, was jetzt unterschrieben wird.",
  withdraw: "Zurückziehen",
  withdrawTitle: "Diesen Schlüssel zurückziehen?",
  withdrawText:
    "Er hat nichts unterschrieben. Danach kann er das nie mehr; stellen Sie stattdessen einen anderen bereit.",
  withdrawSubmit: "Schlüssel zurückziehen",
  withdrawn: "Der Schlüssel ist zurückgezogen.",
  remove: "Aus dem Schlüsselsatz nehmen",
  removeTitle: "Diesen Schlüssel jetzt aus dem Schlüsselsatz nehmen?",
  removeText:
    "Alles, was er unterschrieben hat, wird ab jetzt vorzeitig abgelehnt. Tun Sie das nur, wenn jemand anderes den privaten Schlüssel hat.",
  removeSubmit: "Herausnehmen",
  removed: "Der Schlüssel ist nicht mehr im Schlüsselsatz.",
  short: (kid) => kid.slice(0, 8),
  currentTitle: "Jetzt und als Nächstes",
  pastTitle: "Frühere Schlüssel",
  empty: "Es gibt keinen Signaturschlüssel. Der Server erzeugt einen, wenn er startet.",
};
