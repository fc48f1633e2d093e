import { html } from "../html.js";
import { connectionsGerman } from "./connections-german.js";
import { setUpGerman } from "./set-up-german.js";
import type { Texts } from "./texts.js";

/** The pages' words in German. */
export const german: Texts = {
  language: "de",
  signIn: {
    title: "Anmelden",
    heading: (installation) => `Bei ${installation} anmelden`,
    lead: "Wählen Sie das Konto, mit dem Sie arbeiten.",
    nobodyYet: {
      title: "Noch kann sich niemand anmelden",
      paragraphs: [
        "Hier ist kein Anmeldeanbieter eingerichtet.",
        "Jemand aus der Administration muss den des Unternehmens eintragen.",
      ],
    },
    over: {
      title: "Diese Anmeldung ist vorbei",
      paragraphs: [
        "Sie wurde schon abgeschlossen, hat länger als zehn Minuten gedauert oder begann in einem anderen Browser.",
        "Beginnen Sie noch einmal. Wenn das jedes Mal geschieht, erlauben Sie Cookies für diese Adresse.",
      ],
    },
    refused: "Sie sind nicht angemeldet",
    refusals: {
      provider_unreachable: (provider) =>
        `${provider} ist gerade nicht erreichbar. Versuchen Sie es in einer Minute wieder; bleibt es so, sagen Sie der Administration Bescheid.`,
      provider_refused: (provider) =>
        `${provider} hat Sie nicht angemeldet. Versuchen Sie es noch einmal oder nehmen Sie ein anderes Konto.`,
      invalid_response: (provider) =>
        `${provider} hat eine Antwort geschickt, der nicht zu trauen ist. Versuchen Sie es noch einmal; geschieht es wieder, sagen Sie der Administration Bescheid.`,
      email_missing: (provider) =>
        `${provider} hat nicht gesagt, welche E-Mail-Adresse Sie haben. Die Administration muss dort den Claim „email“ freigeben.`,
      email_unverified: (provider) =>
        `${provider} hat Ihre E-Mail-Adresse nicht bestätigt. Bestätigen Sie sie dort und melden Sie sich dann wieder an.`,
      email_domain: () =>
        "Mit Adressen dieser E-Mail-Domain kann man sich hier nicht anmelden. Nehmen Sie Ihr Arbeitskonto.",
      user_disabled: () => "Ihr Konto ist gesperrt. Fragen Sie die Administration.",
    },
    tryAgain: "Noch einmal versuchen",
    startAgain: "Von vorn beginnen",
  },
  welcome: {
    title: "Willkommen",
    lead: "Melden Sie sich an und sehen Sie, was Sie dürfen, welche Skills Sie haben und welche Geräte für Sie handeln.",
    signIn: "Anmelden",
    hint: (command) => html`Für die Kommandozeile geben Sie im Terminal ${command} ein.`,
    signedOutTitle: "Abgemeldet",
    signedOut: "Sie sind abgemeldet",
    signedOutLead:
      "Dieser Browser kennt Sie nicht mehr. Geräte, auf denen Sie die Kommandozeile benutzen, bleiben angemeldet.",
    signInAgain: "Wieder anmelden",
  },
  account: {
    fallbackName: "Ihr Konto",
    notYou: "Nicht Sie?",
    signedInAs: "Angemeldet als",
  },
  consent: {
    title: (client) => `${client} zulassen?`,
    heading: (client) => html`Darf ${client} für Sie handeln?`,
    fromDevice: (installation) =>
      html`Ein Programm auf <strong>einem anderen Gerät</strong> möchte mit Ihrem Konto Dienste bei ${installation} benutzen.`,
    fromHere: (installation) =>
      html`Ein Programm auf diesem Rechner möchte mit Ihrem Konto Dienste bei ${installation} benutzen.`,
    fromElsewhere: (place, installation) =>
      html`Die Anwendung unter <strong>${place}</strong> möchte mit Ihrem Konto Dienste bei ${installation} benutzen.`,
    deviceCode: "Gerätecode",
    deviceCodeOther:
      "Er bezeichnet den Schlüssel des Geräts; die Kommandozeile zeigt ihn auch. Haben Sie das nicht gerade selbst begonnen, lehnen Sie ab.",
    deviceCodeHere:
      "Ihr Terminal zeigt denselben Code. Zeigt es ihn nicht oder haben Sie das nicht gerade selbst begonnen, lehnen Sie ab.",
    noDeviceCode:
      "Es gibt keinen Code zum Vergleichen: Das Programm, das fragt, hat seinen Schlüssel nicht genannt. Haben Sie das nicht gerade selbst begonnen, lehnen Sie ab.",
    askedFrom: "Gefragt von",
    askedAt: "Gefragt am",
    unknownAddress: "einer unbekannten Adresse",
    abilities: "Es kann dann",
    clientScopes: {
      openid: "wissen, welches Konto Sie hier benutzen",
      profile: "Ihren Namen sehen",
      email: "Ihre E-Mail-Adresse sehen",
      offline_access: "auf diesem Gerät angemeldet bleiben, bis Sie sich abmelden",
      "authz:login": "mit Ihren Berechtigungen Dienste aufrufen",
    },
    deny: "Ablehnen",
    allow: "Zulassen",
    answerToDevice: "Die Antwort geht an das Gerät, dessen Code Sie eingegeben haben.",
    answerTo: (place) => html`Die Antwort geht an ${place}`,
    over: {
      title: "Diese Anfrage ist vorbei",
      paragraphs: [
        "Sie wurde schon beantwortet, ist älter als zehn Minuten oder begann in einem anderen Browser.",
        "Gehen Sie zurück zu Ihrem Terminal und beginnen Sie noch einmal.",
      ],
    },
    fromElsewhereForm: {
      title: "Ihre Antwort zählt nicht",
      paragraphs: [
        "Sie kam nicht von der Seite, die Sie gefragt hat, oder es hat sich hier inzwischen jemand anderes angemeldet.",
        "Sehen Sie sich die Frage noch einmal an und antworten Sie dort. Haben Sie nichts begonnen, schließen Sie diese Seite.",
      ],
      askAgain: "Die Frage noch einmal zeigen",
    },
    cannotStart: {
      title: "Diese Anmeldung kann nicht beginnen",
      why: "Das Programm, das Sie hierher geschickt hat, hat auf eine Art gefragt, die dieser Server nicht annimmt.",
      next: "Gehen Sie dorthin zurück und versuchen Sie es mit seiner neuesten Version.",
    },
  },
  device: {
    title: "Ein Gerät verbinden",
    typeCode: "Geben Sie den Code ein, den Ihr Gerät zeigt.",
    compareCode:
      "Vergleichen Sie den Code mit dem, den Ihr Gerät zeigt. Machen Sie nur weiter, wenn er gleich ist und Sie das selbst begonnen haben.",
    code: "Code",
    continue: "Weiter",
    malformed: (example) => html`Ein Code hat acht Buchstaben und keine Vokale, zum Beispiel ${example}.`,
    unknown:
      "Kein Gerät wartet mit diesem Code. Vergleichen Sie ihn mit Ihrem Gerät: Vielleicht hat es inzwischen einen neuen.",
    connectedTitle: "Gerät verbunden",
    connected: "Ihr Gerät ist verbunden",
    connectedLead:
      "Gehen Sie dorthin zurück: In wenigen Sekunden geht es von selbst weiter. Diese Seite können Sie schließen.",
    connectedHint: (accountPage) => html`Abmelden können Sie das Gerät jederzeit auf ${accountPage}.`,
    accountPage: "der Seite Ihres Kontos",
    notConnectedTitle: "Gerät nicht verbunden",
    notConnected: "Das Gerät ist nicht verbunden",
    notConnectedLead: "Es hat nichts bekommen und erfährt das auch. Diese Seite können Sie schließen.",
    notAllowed: (installation) =>
      `Sie dürfen die Kommandozeile nicht benutzen: Die Berechtigung authz:login fehlt. Fragen Sie die Administration von ${installation} danach.`,
  },
  home: {
    title: "Ihr Konto",
    administration: "Administration",
    signOut: "Abmelden",
    signOutOf: (name) => `${name} abmelden`,
    permissions: "Was Sie dürfen",
    noPermissions:
      "Noch nichts. Berechtigungen vergibt die Administration: Fragen Sie nach dem, was Sie brauchen.",
    undecided: (directories) =>
      `${directories} antwortet gerade nicht. Was Sie über Gruppen von dort dürfen, fehlt hier.`,
    ofInstallation: (installation) => `Bei ${installation} selbst`,
    systemScopes: {
      "authz:login": "Die Kommandozeile benutzen",
      "authz:administer": "Diese Installation verwalten",
    },
    more: (count) => `Und ${count} weitere.`,
    skills: "Ihre Skills",
    skillsLead: "Anleitungen, die ein Agent für Sie lesen kann. Öffnen Sie eine, um sie selbst zu lesen.",
    noSkills: "Noch veröffentlicht kein Dienst Anleitungen für Sie.",
    moreSkills: (count, command) => html`Und ${count} weitere: Geben Sie im Terminal ${command} ein.`,
    lacks: (scopes) => html`Ihnen fehlt ${scopes}`,
    client: "Die Kommandozeile",
    clientLead: "Zwei Befehle in einem Terminal mit Node.js ab 20.19, einmal auf jedem Gerät:",
    devices: "Geräte, die für Sie handeln",
    noDevices: (command) => html`Noch keine. Geben Sie im Terminal ${command} ein, um dieses zu verbinden.`,
    devicesHint: "Ein abgemeldetes Gerät muss Sie wieder fragen, bevor es etwas tun kann.",
    browsers: "Browser, in denen Sie angemeldet sind",
    thisBrowser: (browser) => `${browser}, dieser hier`,
    since: (date) => `seit ${date}`,
    browser: "Ein Browser",
    browserOn: (browser, system) => `${browser} unter ${system}`,
    signOutTitle: "Abmelden",
    signOutHeading: (installation) => `Bei ${installation} abmelden?`,
    staySignedIn: "Angemeldet bleiben",
  },
  skill: {
    back: "Ihr Konto",
    from: (publisher) => `Veröffentlicht von ${publisher}`,
    asks: "Verlangt",
    notAllowed: (scopes) =>
      html`Sie können ihr noch nicht folgen: Ihnen fehlt ${scopes}. Fragen Sie die Administration.`,
    missing: {
      title: "Diesen Skill gibt es nicht",
      paragraphs: ["Es gibt ihn nicht mehr, oder er gehört nicht zu denen, die Sie sehen dürfen."],
    },
  },
  connections: connectionsGerman,
  setUp: setUpGerman,
  problem: {
    notFound: "Hier ist keine Seite",
    notFoundText: "Unter dieser Adresse gibt es nichts.",
    notDone: "Das hat nicht geklappt",
    failed: "Hier ist etwas ausgefallen",
    tooMany: (seconds) => `Von hier kamen zu viele Anfragen. Versuchen Sie es in ${seconds} Sekunden wieder.`,
    tooLarge: "Das Gesendete ist zu groß.",
    unreadable: "Die Anfrage ist nicht lesbar.",
    busy: "Der Server kann diese Anfrage gerade nicht annehmen. Versuchen Sie es gleich noch einmal.",
    directoryAway:
      "Das Verzeichnis, das Ihre Gruppen kennt, antwortet nicht. Ihre Berechtigungen lassen sich deshalb nicht prüfen. Es hat sich nichts geändert. Versuchen Sie es in einigen Sekunden wieder; bleibt es so, sagen Sie der Administration Bescheid.",
    error: (requestId) =>
      `Der Server hatte einen Fehler. Sein Protokoll nennt die Ursache unter der Anfrage ${requestId}.`,
    startPage: "Zur Startseite",
    request: (id) => `Anfrage ${id}`,
  },
};
