import { sentencesBelowGerman } from "./below-german.js";
import { checksGerman } from "./checks-german.js";
import type { ScopeUsers } from "./english.js";
import { fieldsGerman } from "./fields-german.js";
import type { AdminTexts } from "./texts.js";
import { translateBelow } from "./translate-below.js";

/** The sentences of the admin API in German. */
export const german: AdminTexts = {
  language: "de",
  fields: fieldsGerman,
  below: translateBelow(sentencesBelowGerman),
  ...checksGerman,
  refusals: {
    request: (place, fault, more) =>
      `${place === "" ? "Die Anfrage" : `„${place}“`} ${fault}${more > 0 ? ` (und ${more} weitere)` : ""}.`,
    notFound: (what) => `Es gibt ${what} nicht. Vielleicht hat es jemand gelöscht.`,
    noAddress: "Unter dieser Adresse gibt es nichts.",
    loginRequired: "Hier ist niemand angemeldet, oder die Sitzung ist zu Ende. Melden Sie sich neu an.",
    notAllowed: (scope) =>
      `Die Berechtigung ${scope} fehlt. Sie bekommen sie von jemandem in der Administration.`,
    foreignPage:
      "Die Anfrage kommt nicht aus der Konsole dieses Servers, oder ihr Token gehört nicht zu dieser Sitzung. Laden Sie die Seite neu.",
    browserOnly: "Das ist für Personen in einem Browser; eine Maschine braucht es nicht.",
    noIfMatch: "Der Header If-Match fehlt. Senden Sie das ETag des Objekts, das Sie gesehen haben.",
    badIfMatch: 'Der Header If-Match muss genau ein ETag sein, etwa "3".',
    outdated:
      "Das hat inzwischen jemand anderes geändert. Sehen Sie sich an, wie es jetzt ist, und entscheiden Sie neu.",
    notJson: "Der Inhalt ist kein JSON oder nennt ein Feld zweimal.",
    sendJson: "Senden Sie den Inhalt als application/json.",
    sendFile: (types) => `Senden Sie die Datei als ${types.join(" oder ")}.`,
    emptyFile: "Die Datei ist leer.",
    tooLarge: "Der Inhalt ist zu groß.",
    lastAdministrator: (scope) =>
      `Danach hätte niemand mehr, der sich anmelden kann, ${scope}. Geben Sie es vorher einer anderen Person, mit ihrer E-Mail-Adresse.`,
    lastProvider: (name) =>
      `Ohne ${name} könnte sich niemand mehr anmelden: Es ist der letzte Anmeldeanbieter, der funktioniert. Fügen Sie vorher einen anderen hinzu oder schalten Sie einen ein.`,
    taken: {
      scope: (key) => `Den Scope „${key}“ gibt es schon.`,
      resource: (key) => `Den Dienst „${key}“ gibt es schon.`,
      client: (id) => `Den Client „${id}“ gibt es schon. Wählen Sie eine andere Kennung.`,
      groupProvider: (key) => `Die Gruppenquelle „${key}“ gibt es schon. Wählen Sie einen anderen Schlüssel.`,
      identityProvider: (key) =>
        `Den Anmeldeanbieter „${key}“ gibt es schon. Wählen Sie einen anderen Schlüssel.`,
      skill: (id) => `Den Skill „${id}“ gibt es schon.`,
      connector: (key) => `Den Konnektor „${key}“ gibt es schon. Wählen Sie einen anderen Schlüssel.`,
      assignment: (email, group, scope) =>
        `${email ?? `Die Gruppe ${group}`} hat ${scope} schon durch eine Zuweisung.`,
      groups: (provider, other) => `Die Gruppen von „${provider}“ gehören schon zu „${other}“.`,
    },
    full: {
      identityProviders: (most) => `Es kann höchstens ${most} Anmeldeanbieter geben.`,
      groupProviders: (most) => `Es kann höchstens ${most} Gruppenquellen geben.`,
      connectors: (most) => `Es kann höchstens ${most} Konnektoren geben.`,
      skills: (most) =>
        `Die Installation hat ${most} Skills, mehr sind nicht möglich. Löschen Sie vorher einen.`,
    },
    systemScope: (key) => `„${key}“ gehört zum Server selbst und lässt sich weder ändern noch löschen.`,
    builtInClient: (id) => `„${id}“ gehört zu jeder Installation und lässt sich weder ändern noch löschen.`,
    scopeInUse: (key, uses) =>
      `„${key}“ wird noch verwendet: ${listUses(uses)}. Nehmen Sie ihn dort zuerst weg.`,
    clientInUse: (id, devices) =>
      `Mit „${id}“ ${devices === 1 ? "ist 1 Gerät" : `sind ${devices} Geräte`} angemeldet. Melden Sie diese zuerst ab, oder schalten Sie den Client nur ab.`,
    connectorInUse: (key, people, disconnecting) =>
      people === 0
        ? `Von „${key}“ ${disconnecting === 1 ? "wird noch 1 Konto" : `werden noch ${disconnecting} Konten`} getrennt. Warten Sie, bis das fertig ist.`
        : `Bei „${key}“ ${people === 1 ? "hat 1 Person" : `haben ${people} Personen`} ein Konto verbunden. Trennen Sie zuerst alle, oder schalten Sie den Konnektor nur ab.`,
    disconnecting:
      "Dieses Konto wird gerade getrennt, oder das war noch nicht abzuschließen. Der Server macht damit von selbst weiter.",
    connectorKey: {
      not_configured: () =>
        "Konnektoren brauchen einen Schlüssel: AUTHZ_CONNECTOR_KEK ist nicht gesetzt. Erzeugen Sie einen mit authz-server secrets, setzen Sie ihn und starten Sie den Server neu.",
      malformed: (problem) =>
        `Der Schlüssel für Konnektoren ist nicht zu gebrauchen: ${problem} authz-server secrets gibt einen in der richtigen Form aus. Setzen Sie ihn und starten Sie den Server neu.`,
      unknown_key: (problem) => `Dieser Server hat den Schlüssel nicht: ${problem}`,
      unreadable: (problem) => `Mit diesem Schlüssel lässt es sich nicht öffnen: ${problem}`,
      unavailable: (problem) => `Der Ort des Schlüssels antwortet nicht, wie er soll: ${problem}`,
    },
    groupsInUse: (key, assignments, scopes) =>
      `${assignments === 1 ? "1 Zuweisung gibt" : `${assignments} Zuweisungen geben`} Gruppen von „${key}“ ${scopes.slice(0, 5).join(", ")}${scopes.length > 5 ? " und mehr" : ""}. Entfernen Sie diese zuerst, oder schalten Sie die Gruppenquelle nur ab.`,
    groupsTaken: (provider, groupProvider) =>
      `Die Gruppenquelle „${groupProvider}“ nimmt ihre Gruppen von „${provider}“. Entfernen Sie sie zuerst.`,
    catalogBusy: (resource) =>
      `Der Katalog von „${resource}“ wird gerade geholt. Sehen Sie in ein paar Sekunden noch einmal nach.`,
    signingKey: {
      tooEarly: (from) =>
        `Dieser Schlüssel darf ab ${from} signieren: Bis dahin kennen ihn manche Dienste nicht und würden ablehnen, was er signiert. Warten Sie nur dann nicht, wenn der aktive Schlüssel in falschen Händen ist.`,
      activeAlready: "Das ist schon der aktive Schlüssel.",
      retiredForGood:
        "Dieser Schlüssel ist abgelöst, und ein abgelöster signiert nie wieder. Stellen Sie einen neuen bereit.",
      stillActive: "Das ist der aktive Schlüssel. Aktivieren Sie einen anderen; dadurch wird er abgelöst.",
      retiredAlready: "Dieser Schlüssel ist schon abgelöst.",
      retiredUntil: (until) =>
        `Dieser Schlüssel ist schon abgelöst. Veröffentlicht bleibt er bis ${until}; nehmen Sie ihn nur dann früher heraus, wenn er in falschen Händen ist.`,
    },
  },
  things: {
    scope: (key) => `den Scope „${key}“`,
    resource: (key) => `den Dienst „${key}“`,
    publishingResource: (key) => `einen eingeschalteten Dienst „${key}“, dessen Skills gelesen werden,`,
    assignment: "eine Zuweisung mit dieser Kennung",
    person: "eine Person mit dieser Kennung",
    session: "eine laufende Sitzung mit dieser Kennung",
    logIn: "eine laufende Anmeldung mit dieser Kennung",
    client: (id) => `den Client „${id}“`,
    groupProvider: (key) => `die Gruppenquelle „${key}“`,
    identityProvider: (key) => `den Anmeldeanbieter „${key}“`,
    signingKey: (kid) => `den Signaturschlüssel „${kid}“`,
    skill: (id) => `den Skill „${id}“`,
    connector: (key) => `den Konnektor „${key}“`,
    connection: "eine Verbindung mit dieser Kennung",
    auditEvent: (id) => `das Ereignis ${id}`,
  },
  notes: {
    strangers: (emails) =>
      `${nameThree(emails)}: hat sich noch nie angemeldet. Es gilt ab der ersten Anmeldung.`,
    shutOut: (emails) =>
      `${nameThree(emails)}: kann sich nicht anmelden. Kein Anmeldeanbieter lässt die Domain zu.`,
    strangeGroups: (groups) =>
      `${nameThree(groups)}: Bisher hat weder eine Anmeldung noch eine andere Zuweisung diese Gruppe genannt. Prüfen Sie die Schreibweise: Es gilt nur für eine Gruppe mit genau diesem Namen.`,
    disabled: (emails) => `${nameThree(emails)}: ist gesperrt. Es gilt erst, wenn die Person entsperrt ist.`,
    sessionsEnd: (count) => (count === 1 ? "1 Browsersitzung endet." : `${count} Browsersitzungen enden.`),
    devicesEnd: (count) => (count === 1 ? "1 Gerät wird abgemeldet." : `${count} Geräte werden abgemeldet.`),
    compared: (compared, all) => `Verglichen wurden nur die ersten ${compared} von ${all} Scopes.`,
    signInLost: (count, provider) =>
      `${count === 1 ? "1 Person meldet sich nur bei" : `${count} Personen melden sich nur bei`} ${provider} an und ${count === 1 ? "könnte" : "könnten"} das dann nicht mehr.`,
    accountsForgotten: (count, provider) =>
      `${count === 1 ? "1 Person hat ein Konto" : `${count} Personen haben Konten`} bei ${provider}. Mit einem anderen Issuer werden diese vergessen, und die Personen werden an ihrer bestätigten E-Mail-Adresse erkannt.`,
    providerSessionsEnd: (count) =>
      count === 1
        ? "1 Browsersitzung, die dort begann, endet."
        : `${count} Browsersitzungen, die dort begannen, enden.`,
    keySigns: (kid) => `${kid} würde signieren.`,
    keyStaysStaged: (kid) => `${kid} bliebe bereitgestellt.`,
    keyRetires: (kid, until) => `${kid} würde nicht mehr signieren und bliebe bis ${until} veröffentlicht.`,
    connectionsCount: (people) =>
      `${people === 1 ? "1 Person hat" : `${people} Personen haben`} hier ein Konto verbunden.`,
    connectionsStop: (people) =>
      `${people === 1 ? "1 Person könnte" : `${people} Personen könnten`} das verbundene Konto nicht mehr benutzen; verbunden bleibt es.`,
    connectAgain: (people) =>
      `${people === 1 ? "1 Person muss" : `${people} Personen müssen`} sich neu verbinden: Die Tokens gehören zu einem anderen Client.`,
    newAddresses: (prefixes) =>
      `Agenten könnten mit den Konten auch Anfragen an ${prefixes.join(", ")} senden.`,
    newOrigins: (origins) =>
      `An ${origins.join(", ")} wird für alle, die jetzt verbunden sind, erst gesendet, wenn sie sich neu verbinden.`,
    newMethods: (methods) => `Agenten könnten auch ${methods.join(", ")} benutzen.`,
    newRequirements: (scopes) =>
      `Wer ${scopes.join(", ")} nicht hat, könnte das verbundene Konto nicht mehr benutzen.`,
    newMandatory: (scopes) =>
      `${scopes.join(", ")}: wäre Pflicht. Wer es weggelassen hat, muss sich neu verbinden.`,
    disconnected: (people) =>
      `${people === 1 ? "1 Konto würde" : `${people} Konten würden`} getrennt: Die Tokens werden beim Drittanbieter widerrufen, soweit er das kann, und hier gelöscht.`,
    audienceGone: (before) => `${countPeople(before)} ${before === 1 ? "sähe" : "sähen"} ihn nicht mehr.`,
    audienceNew: (after) => `${countPeople(after)} ${after === 1 ? "könnte" : "könnten"} ihn sehen.`,
    audienceSame: (after) =>
      `${countPeople(after)} ${after === 1 ? "kann" : "können"} ihn sehen, wie bisher.`,
    audienceOther: (after, before) =>
      `${countPeople(after)} ${after === 1 ? "könnte" : "könnten"} ihn sehen; vorher: ${before}.`,
  },
};

function countPeople(count: number): string {
  return count === 1 ? "1 Person" : `${count} Personen`;
}

function nameThree(names: readonly string[]): string {
  const more = names.length > 3 ? ` und ${names.length - 3} weitere` : "";
  return `${names.slice(0, 3).join(", ")}${more}`;
}

function listUses({ assignments, resources, machineClients, connectors, skills }: ScopeUsers): string {
  const kinds = [
    { one: "der Dienst", many: "die Dienste", names: resources },
    { one: "der Maschinenclient", many: "die Maschinenclients", names: machineClients },
    { one: "der Konnektor", many: "die Konnektoren", names: connectors },
    { one: "der Skill", many: "die Skills", names: skills },
  ];
  return [
    ...(assignments === 0 ? [] : [assignments === 1 ? "1 Zuweisung" : `${assignments} Zuweisungen`]),
    ...kinds.flatMap(({ one, many, names }) =>
      names.length === 0 ? [] : [`${names.length === 1 ? one : many} ${nameThree(names)}`],
    ),
  ].join(", ");
}
