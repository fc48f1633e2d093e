import type { en } from "../en/clients";

export const de: typeof en = {
  title: "Clients",
  lead: "Programme, die hier Tokens bekommen: für Personen, auf Geräten und in Webanwendungen, oder als Maschinen für sich selbst.",
  plural: "Clients",
  views: "Arten von Clients",
  all: "Alle",
  types: { machine: "Maschinen", public: "Auf Geräten", confidential: "Webanwendungen" },
  one: { machine: "Maschine", public: "Programm auf einem Gerät", confidential: "Webanwendung" },
  create: "Client registrieren",
  createTitle: "Client registrieren",
  createSubmit: "Client registrieren",
  columns: {
    name: "Client",
    type: "Art",
    may: "Darf",
    devices: "Geräte",
    state: "Zustand",
    changed: "Geändert",
  },
  enabled: "In Gebrauch",
  disabled: "Ausgeschaltet",
  builtIn: "Gehört zum Server",
  builtInHelp: "Dieser Client gehört zu jeder Installation. Er lässt sich weder ändern noch entfernen.",
  bearer: "Tokens ohne gebundenen Schlüssel",
  empty: {
    title: "Noch keine eigenen Clients",
    text: "Registrieren Sie einen für jedes Programm, das hier Tokens bekommt: einen Auftrag, der für sich selbst handelt, oder eine Anwendung, die Personen benutzen.",
  },
  type: "Was für ein Programm ist es?",
  typeHelp: {
    machine:
      "Handelt für sich selbst, etwa ein nächtlicher Auftrag. Wer es ist, beweist es mit einem Schlüssel, den nur es hat.",
    public: "Läuft auf Geräten und handelt für die Person davor. Ein Geheimnis kann es nicht bewahren.",
    confidential:
      "Läuft auf einem Server und handelt für die Person davor. Wer es ist, beweist es mit seinem eigenen Schlüssel.",
  },
  fields: {
    name: "Name",
    nameHelp: "Den lesen Personen, wenn sie dem Programm erlauben, für sie zu handeln.",
    id: "Client-ID",
    idHelp:
      "So nennt sich das Programm selbst (client_id), etwa nightly-report. Später lässt sie sich nicht mehr ändern.",
    redirectUris: "Weiterleitungsadressen",
    redirectUrisHelp:
      "Wohin der Browser nach einer Anmeldung geht, Zeichen für Zeichen verglichen. Auf http://127.0.0.1 ist jeder Port recht. Ein Programm, das nur Gerätecodes verwendet, braucht keine.",
    addRedirectUri: "Adresse hinzufügen",
    scopes: "Was es darf",
    scopesHelp: "Die Maschine bekommt Tokens mit diesen Scopes für jeden Dienst, der sie unterstützt.",
    keys: "Öffentliche Schlüssel",
    keysHelp:
      "Das Programm unterschreibt mit der privaten Hälfte; hierher kommt nur die öffentliche. Zum Tauschen den neuen hinzufügen, das Programm umstellen, dann den alten entfernen.",
    dpopBound: "Jedes Token an einen Schlüssel binden",
    dpopBoundHelp:
      "Ein gestohlenes Token nützt dann nichts (DPoP). Nur für Programme ausschalten, die das nicht können.",
    enabled: "In Gebrauch",
    enabledHelp: "Ausgeschaltet bekommt es keine Tokens. Was es hat, endet innerhalb von zehn Minuten.",
  },
  key: {
    add: "Schlüssel hinzufügen",
    paste: (number) => `Öffentlicher Schlüssel ${number}`,
    placeholder: '{ "kty": "EC", "crv": "P-256", "kid": "…", "x": "…", "y": "…" }',
    pasteHelp: "Der öffentliche JWK eines P-256-Schlüssels (ES256) oder ein ganzer Schlüsselsatz.",
    remove: "Entfernen",
    removeNamed: (kid) => `Schlüssel ${kid} entfernen`,
    notStored: "neu, noch nicht gespeichert",
    going: "Das Programm kann jeden dieser Schlüssel verwenden, bis Sie einen entfernen.",
    faults: {
      empty: "Fügen Sie einen Schlüssel ein, oder entfernen Sie dieses Feld.",
      notJson: "Das ist kein JSON. Fügen Sie den Schlüssel von der ersten { bis zur letzten } ein.",
      notKey: "Das ist kein Schlüssel: „kty“ fehlt.",
      isPrivate:
        "Das ist ein privater Schlüssel. Er wurde nirgendwohin gesendet. Fügen Sie nur die öffentliche Hälfte ein: dasselbe ohne „d“.",
      notP256: "Das ist kein P-256-Schlüssel: „kty“ muss „EC“ sein und „crv“ „P-256“.",
      noKid:
        "Ergänzen Sie „kid“: einen Namen Ihrer Wahl, den das Programm auch in den Kopf dessen schreibt, was es unterschreibt.",
      twice: (kid) => `Die kid ${kid} kommt zweimal vor. Geben Sie jedem Schlüssel eine eigene.`,
    },
  },
  devices: (count) => `Damit angemeldete Geräte (${count})`,
  showDevices: "Geräte zeigen",
  noDevices: "Niemand ist damit angemeldet.",
  id: "Client-ID",
  delete: "Löschen",
  deleteTitle: (name) => `${name} löschen?`,
  deleteText: "Er bekommt keine Tokens mehr, und seine Schlüssel und Adressen werden vergessen.",
  deleteSubmit: "Client löschen",
  deleted: (name) => `${name} ist gelöscht.`,
};
