import { html } from "../html.js";
import type { setUpEnglish } from "./set-up-english.js";

/** The installer's words in German. */
export const setUpGerman: typeof setUpEnglish = {
  title: "Einrichtung",
  step: (step, steps) => `Schritt ${step} von ${steps}`,
  optional: "freiwillig",
  missing: "Das wird gebraucht.",
  problems: "Etwas stimmt noch nicht. Es ist unten markiert.",
  token: {
    heading: "Diese Installation einrichten",
    lead: "Zeigen Sie, dass Sie diesen Server betreiben: Fügen Sie den Wert von AUTHZ_SETUP_TOKEN aus seiner Umgebung ein.",
    label: "Einrichtungs-Token",
    refused: "Das ist nicht das Einrichtungs-Token dieses Servers.",
    next: "Weiter",
  },
  preset: {
    heading: "Wo meldet man sich an?",
    lead: "Wählen Sie den Anmeldeanbieter Ihres Unternehmens. Alles lässt sich später ändern.",
    other: "Ein anderer Anmeldeanbieter mit OpenID Connect",
  },
  details: {
    heading: "Anmeldung und Administration",
    callback: "Registrieren Sie beim Anbieter eine Anwendung mit dieser Callback-URL:",
    documentation: (link) => html`Der Hersteller beschreibt das in ${link}.`,
    documentationLabel: "seiner Dokumentation",
    notes: {
      google:
        "Legen Sie in der Google-Cloud-Konsole einen OAuth-Client vom Typ „Webanwendung“ an. Ein Google-Konto kann jeder haben: Nennen Sie unten Ihre Domains.",
      entra:
        "Registrieren Sie im Entra Admin Center eine Anwendung mit der Plattform „Web“. Fügen Sie unter „Tokenkonfiguration“ die optionalen Ansprüche email und xms_edov hinzu: Ohne sie sagt Entra ID nicht, ob eine Adresse bestätigt ist.",
      okta: "Legen Sie in der Okta-Administration eine App-Integration an: „OIDC“, dann „Web Application“.",
      keycloak:
        "Legen Sie einen OpenID-Connect-Client mit eingeschalteter „Client authentication“ an. Adressen müssen im Realm als bestätigt gelten.",
      auth0: "Legen Sie eine „Regular Web Application“ an. Der Issuer endet mit einem Schrägstrich.",
      other:
        "Registrieren Sie eine Web-Anwendung für den Authorization Code Flow, mit Client-Secret, wenn es eines geben kann.",
    },
    you: "Sie und Ihr Unternehmen",
    provider: "Der Anbieter",
    fields: {
      administrator_email: {
        label: "Ihre E-Mail-Adresse",
        hint: "Sie verwalten die Installation als Erste oder Erster: mit der Adresse, unter der der Anbieter Sie kennt.",
        fault: "Das ist keine E-Mail-Adresse.",
      },
      installation_name: {
        label: "Name dieser Installation",
        hint: "Wohl der Ihres Unternehmens. Er steht auf jeder Seite.",
        fault: "Höchstens 200 Zeichen.",
      },
      name: { label: "Name des Anbieters", fault: "Höchstens 200 Zeichen." },
      button_label: {
        label: "Beschriftung seines Knopfs",
        hint: "Zu sehen, wenn es mehrere Arten der Anmeldung gibt, zum Beispiel „Acme-Konto“.",
        fault: "Höchstens 200 Zeichen.",
      },
      issuer: {
        label: "Issuer",
        hint: "Genau wie in den Metadaten des Anbieters.",
        fault:
          "Das ist keine https-Adresse ohne Query und Fragment. Stehen geschweifte Klammern darin, ersetzen Sie, was in ihnen steht.",
      },
      discovery_url: {
        label: "Discovery-URL",
        hint: "Nur wenn die Metadaten woanders sind, als der Issuer sagt.",
        fault: "Das ist nicht die https-Adresse von Metadaten: Es muss /.well-known/ darin vorkommen.",
      },
      client_id: { label: "Client-ID", fault: "Höchstens 200 Zeichen." },
      client_secret: { label: "Client-Secret", fault: "Höchstens 1000 Zeichen." },
      auth_method: { label: "Wie der Client sich ausweist", fault: "Wählen Sie etwas aus der Liste." },
      scopes: {
        label: "Scopes",
        hint: "Durch Leerzeichen getrennt.",
        fault: "openid muss unter den Scopes sein, und keiner darf Anführungszeichen haben.",
      },
      domains: {
        label: "Erlaubte E-Mail-Domains",
        hint: "Durch Kommas getrennt. Leer: alle, die der Anbieter anmeldet.",
        fault: "Das sind keine Domains wie acme.example.",
      },
    },
    authMethods: {
      "": "Wie es die Metadaten des Anbieters sagen",
      client_secret_basic: "Secret im Header (client_secret_basic)",
      client_secret_post: "Secret im Formular (client_secret_post)",
      none: "Ohne Secret, nur mit PKCE",
    },
    secretKept: "Eingegeben. Lassen Sie es leer, um es zu behalten.",
    secretSuperfluous: "Ein Client, der sich nicht ausweist, hat kein Secret: Lassen Sie es leer.",
    more: "Weitere Einstellungen",
    tooLong: "Alles zusammen ist zu lang. Kürzen Sie die Domains oder die Scopes.",
    next: "Weiter",
    otherProvider: "Einen anderen Anbieter wählen",
  },
  review: {
    heading: "Ausprobieren und abschließen",
    lead: "Der Test meldet Sie wirklich beim Anbieter an und speichert nichts.",
    callback: "Callback-URL",
    copy: "Kopieren",
    copied: "Kopiert",
    administrator: "Erste Administration",
    installation: "Installation",
    provider: "Anbieter",
    change: "Angaben ändern",
    test: "Anmeldung testen",
    testAgain: "Noch einmal testen",
    complete: "Abschließen",
    completeHint:
      "Abschließen meldet Sie noch einmal an, speichert alles auf einmal, überträgt Ihnen die Administration und schließt die Einrichtung für immer.",
    lost: "Zeigt der Anbieter einen Fehler, statt Sie zurückzuschicken, ist die Callback-URL dort nicht eingetragen.",
  },
  result: {
    passed: "Der Test ist bestanden. Sie können die Einrichtung abschließen.",
    failed: "Der Test ist nicht bestanden. Es wurde nichts gespeichert.",
    notCompleted: "Die Einrichtung ist nicht abgeschlossen. Es wurde nichts gespeichert.",
    states: { passed: "bestanden", failed: "nicht bestanden", open: "nicht erreicht" },
    checks: {
      discovery: "Die Metadaten des Anbieters sind lesbar",
      issuer: "Die Metadaten gehören zu diesem Issuer",
      sign_in: "Der Anbieter hat Sie angemeldet",
      token_endpoint: "Der Anbieter nimmt diesen Client an",
      id_token: "Das ID-Token ist signiert und für uns bestimmt",
      email: "Es gibt eine E-Mail-Adresse",
      email_verified: "Die Adresse ist bestätigt",
      email_domain: "Ihre Domain ist erlaubt",
      administrator: "Sie gehört der ersten Administration",
    },
    faults: {
      discovery_unreachable: {
        what: ({ issuer }) => `${issuer} ist von diesem Server aus nicht erreichbar.`,
        remedy: () =>
          "Suchen Sie im Issuer nach einem Tippfehler, dann bei DNS, Firewall und Proxy des Servers.",
      },
      discovery_forbidden: {
        what: ({ issuer }) => `Dieser Server verbindet sich nicht mit ${issuer}.`,
        remedy: () =>
          "Adressen eines privaten Netzes müssen erlaubt werden: Nennen Sie das Netz in AUTHZ_OUTBOUND_NETWORKS und starten Sie neu.",
      },
      discovery_status: {
        what: () => "Unter dieser Adresse gibt es keine Metadaten.",
        remedy: () =>
          "Prüfen Sie den Issuer. Sind die Metadaten woanders, geben Sie deren Adresse als Discovery-URL ein.",
      },
      discovery_malformed: {
        what: () => "Was unter dieser Adresse liegt, sind keine OpenID-Metadaten.",
        remedy: () =>
          "Prüfen Sie den Issuer. Öffnen Sie sein /.well-known/openid-configuration: Dort muss ein JSON-Dokument stehen.",
      },
      issuer_differs: {
        what: () => "Die Metadaten nennen einen anderen Issuer als Sie.",
        remedy: () =>
          "Geben Sie den Issuer genau so ein, wie er dort steht, auch mit einem Schrägstrich am Ende.",
      },
      provider_refused: {
        what: ({ provider }) => `${provider} hat Sie nicht angemeldet.`,
        remedy: () =>
          "Versuchen Sie es noch einmal. Haben Sie nicht abgebrochen, weiß das Protokoll des Anbieters mehr: Vielleicht ist Ihnen die Anwendung nicht zugewiesen, oder er kennt einen Scope nicht.",
      },
      answer_malformed: {
        what: ({ provider }) => `${provider} hat Sie mit einer ungültigen Antwort zurückgeschickt.`,
        remedy: () =>
          "Versuchen Sie es noch einmal, in nur einem Fenster. Bleibt es so, prüfen Sie, ob der Issuer zu dieser Anwendung gehört.",
      },
      client_refused: {
        what: ({ provider }) => `${provider} nimmt die Client-ID mit diesem Secret nicht an.`,
        remedy: () =>
          "Geben Sie beide noch einmal ein: Kopieren Sie den Wert des Secrets, nicht seine ID, und sehen Sie nach, ob es abgelaufen ist. Oder wählen Sie, wie der Client sich ausweist.",
      },
      code_refused: {
        what: ({ provider }) => `${provider} hat den Code der Anmeldung nicht eingelöst.`,
        remedy: () =>
          "Prüfen Sie, ob die Callback-URL beim Anbieter genau die untenstehende ist, und versuchen Sie es noch einmal.",
      },
      token_endpoint_failed: {
        what: ({ provider }) => `Der Token-Endpunkt von ${provider} antwortet nicht richtig.`,
        remedy: () =>
          "Prüfen Sie, ob dieser Server sich mit ihm verbinden darf, und versuchen Sie es noch einmal.",
      },
      keys_unreachable: {
        what: ({ provider }) => `Die Signaturschlüssel von ${provider} sind nicht lesbar.`,
        remedy: () => "Prüfen Sie, ob dieser Server sich mit der jwks_uri der Metadaten verbinden darf.",
      },
      signature_invalid: {
        what: () => "Die Signatur des ID-Tokens passt nicht zu den Schlüsseln des Anbieters.",
        remedy: () =>
          "Die Anwendung muss mit einem Schlüsselpaar signieren, etwa RS256 oder ES256, nicht mit dem Client-Secret.",
      },
      nonce_differs: {
        what: () => "Das ID-Token wurde nicht für diese Anmeldung ausgestellt: Seine Nonce ist eine andere.",
        remedy: () =>
          "Versuchen Sie es noch einmal. Bleibt es so, wiederholt etwas zwischen hier und dem Anbieter alte Antworten.",
      },
      claims_invalid: {
        what: () => "Das ID-Token gilt nicht für diese Anwendung.",
        remedy: () => "Prüfen Sie Client-ID und Issuer und die Uhren des Anbieters und dieses Servers.",
      },
      userinfo_failed: {
        what: () => "Im ID-Token steht keine E-Mail-Adresse, und der Userinfo-Endpunkt nennt auch keine.",
        remedy: () => "Lassen Sie den Anbieter die Claims email und email_verified ins ID-Token aufnehmen.",
      },
      email_missing: {
        what: ({ provider }) => `${provider} sagt nicht, welche E-Mail-Adresse Sie haben.`,
        remedy: () =>
          "Lassen Sie den Anbieter den Claim email senden; der Scope email muss unter den Scopes sein.",
      },
      email_unverified: {
        what: ({ email }) => `Der Anbieter sagt nicht, dass ${email} bestätigt ist.`,
        remedy: () =>
          "Bestätigen Sie die Adresse beim Anbieter oder lassen Sie ihn den Claim email_verified senden. Entra ID braucht den optionalen Anspruch xms_edov.",
      },
      email_domain: {
        what: ({ email }) => `Die Domain von ${email} ist nicht unter den erlaubten.`,
        remedy: () => "Ergänzen Sie die Domain in den Angaben oder nehmen Sie ein anderes Konto.",
      },
      other_person: {
        what: ({ email, administrator }) =>
          `Angemeldet haben Sie sich als ${email}, verwalten soll aber ${administrator}.`,
        remedy: () =>
          "Melden Sie sich mit dem anderen Konto an oder berichtigen Sie die E-Mail-Adresse in den Angaben.",
      },
      user_disabled: {
        what: ({ email }) => `Das Konto von ${email} ist hier gesperrt.`,
        remedy: () => "Nennen Sie jemand anderen für die erste Administration.",
      },
    },
    said: "Im Wortlaut:",
  },
  leaving: {
    heading: (provider) => `Weiter zu ${provider}`,
    lead: "Nach der Anmeldung kommen Sie hierher zurück.",
    link: "Weiter",
  },
  done: {
    heading: (installation) => `${installation} ist eingerichtet`,
    lead: (email) =>
      `Sie sind als ${email} angemeldet und verwalten diese Installation. Die Einrichtung ist für immer geschlossen.`,
    console: "Die Administration öffnen",
    next: "Als Nächstes: einen Dienst eintragen und sagen, wer ihn benutzen darf.",
  },
  closed: {
    title: "Die Einrichtung ist geschlossen",
    paragraphs: ["Diese Installation ist eingerichtet. Geändert wird sie in der Administration."],
  },
  over: {
    title: "Diese Einrichtung ist vorbei",
    paragraphs: [
      "Sie hat länger als eine Stunde gedauert, wurde in einem anderen Browser begonnen, oder Cookies sind für diese Adresse nicht erlaubt.",
      "Beginnen Sie von vorn. Es wurde nichts gespeichert.",
    ],
    action: "Von vorn beginnen",
  },
};
