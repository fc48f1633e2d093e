import type { en } from "../en/settings";

export const de: typeof en = {
  title: "Einstellungen",
  lead: "Was Personen und Agenten von dieser Installation sehen.",
  name: "Name der Installation",
  nameHelp: "Steht auf der Anmeldeseite und in der Kommandozeile. Meist ist es der Name Ihres Unternehmens.",
  instructions: "Text für Agenten",
  instructionsHelp:
    "Jeder Agent liest ihn als Erstes. Schreiben Sie, was ein Agent hier wissen muss: wen man um Berechtigungen bittet, was er nie tun darf.",
  instructionsPlaceholder:
    "Berechtigungen gibt es bei it-hilfe@acme.example. Verträge niemals nach außen schicken.",
  used: (used, most) => `${used} von ${most} Zeichen`,
  logo: "Logo",
  logoHelp: "Steht auf der Anmeldeseite und oben links. PNG oder SVG, höchstens 64 KiB.",
  noLogo: "Es gibt keins. An seiner Stelle steht der erste Buchstabe des Namens.",
  logoAlt: (name) => `Logo von ${name}`,
  onLight: "Auf hellem Grund",
  onDark: "Auf dunklem Grund",
  choose: "Bild auswählen",
  chooseOther: "Anderes auswählen",
  chosen: (name, size) => `${name}, ${size} kB. Noch ist nichts gespeichert.`,
  stored: (type, size) => `${type}, ${size} kB`,
  save: "Dieses Logo verwenden",
  saved: "Das Logo ist gespeichert.",
  refused: "Dieses Bild kann nicht das Logo sein",
  remove: "Entfernen",
  removeTitle: "Logo entfernen?",
  removeText: "An seiner Stelle steht dann der erste Buchstabe des Namens.",
  removeSubmit: "Logo entfernen",
  removed: "Das Logo ist entfernt.",
  saveFirst:
    "Speichern Sie zuerst, was Sie oben eingegeben haben, oder machen Sie es rückgängig. Dann lässt sich das Logo ändern.",
};
