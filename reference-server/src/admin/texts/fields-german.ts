import type { Bound, fieldsEnglish } from "./fields-english.js";

/** What is wrong with a member of a request, in German. */
export const fieldsGerman: typeof fieldsEnglish = {
  missing: "fehlt",
  unknownMember: "ist hier nicht bekannt",
  notValid: "ist nicht gültig",
  mustBe: (type) => `muss ${(Object.hasOwn(types, type) ? types[type] : undefined) ?? type} sein`,
  oneOf: (values) => `muss ${values.join(" oder ")} sein`,
  notEmpty: "darf nicht leer sein",
  characters: (bound, count) => `muss ${bounds[bound]} ${count} Zeichen haben`,
  items: (bound, count) => `muss ${bounds[bound]} ${count} ${count === 1 ? "Eintrag" : "Einträge"} haben`,
  number: (bound, count) => `muss ${bounds[bound]} ${count} sein`,
  email: "muss eine E-Mail-Adresse sein",
  uuid: "muss eine UUID sein",
  time: "muss ein Zeitpunkt sein, etwa 2026-11-20T12:00:00Z",
  url: "muss eine Adresse (URL) sein",
  format: "ist nicht so geschrieben, wie es sein muss",
  noKnownForm: "hat keine der Formen, die hier bekannt sind",
  either: (faults) => faults.join(", oder "),
  trueOrFalse: "muss true oder false sein",
  noNul: "darf kein NUL-Zeichen enthalten",
  noBody: "muss leer sein: Diese Adresse nimmt keinen Inhalt",
  foreignCursor: "gehört nicht zu dieser Liste in dieser Reihenfolge; beginnen Sie ohne ihn",
  unknownSeal: "nennt ein Siegel, das es nicht gibt; beginnen Sie ohne es",
  unknownScope: (scope) => `„${scope}“ ist kein bekannter Scope`,
  unknownResource: "diesen Dienst gibt es nicht",
  unknownGroupProvider: (key) => `„${key}“ ist keine Gruppenquelle`,
  unknownIdentityProvider: (key) => `„${key}“ ist kein Anmeldeanbieter`,
  secretAgain: "muss neu eingegeben werden: Das gespeicherte gilt für eine andere Adresse",
  secretAgainMethod: "muss noch einmal eingegeben werden: Es würde auf andere Weise gesendet",
  noStoredSecret: "fehlt: Für diese Adresse ist keines gespeichert",
  notOfClaim: "gibt es bei Gruppen aus der Anmeldung nicht",
  notOfClient: (type) => `gibt es bei einem ${clients[type]} nicht`,
};

const bounds: Readonly<Record<Bound, string>> = { least: "mindestens", most: "höchstens" };

const types: Readonly<Record<string, string>> = {
  string: "ein Text",
  number: "eine Zahl",
  int: "eine ganze Zahl",
  boolean: "true oder false",
  array: "eine Liste",
  object: "ein Objekt",
  record: "ein Objekt",
};

const clients = {
  public: "öffentlichen Client",
  confidential: "vertraulichen Client",
  machine: "Maschinenclient",
} as const;
