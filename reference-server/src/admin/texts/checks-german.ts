import type { checksEnglish } from "./checks-english.js";

/** What is said about a service, a provider or a directory that was looked at, in German. */
export const checksGerman: typeof checksEnglish = {
  inspection: {
    mountRoutes: "Hängen Sie die Routen des SDK am Dienst selbst ein: registerRoutes(app).",
    unanswered: "Das lässt sich erst ansehen, wenn der Dienst antwortet.",
    earlier: "Das lässt sich erst ansehen, wenn die Metadaten lesbar sind.",
    notAsked: "Danach wurde nicht gefragt: Wo es zu finden ist, war nicht lesbar.",
    status: (url, status) => `${url} antwortet mit dem Status ${status}.`,
    notJson: (url) => `${url} antwortet nicht mit JSON.`,
    incomplete: (url, member) => `${url} ist unvollständig: „${member}“ fehlt oder ist von falscher Art.`,
    titles: {
      reachable: "Der Dienst antwortet",
      resource_metadata: "Metadaten der Ressource",
      authorization_server_metadata: "Metadaten seines Autorisierungsservers",
      identifiers: "Die Kennungen passen zusammen",
      grants: "Nimmt Identitätszusicherungen, die an einen Schlüssel gebunden sind",
      signing_keys: "Signaturschlüssel",
      client_id: "Client",
      scopes: "Scopes",
      skills: "Skills",
      request_prefixes: "Adressen, die Clients aufrufen dürfen",
    },
    reachable: {
      passed: (origin) => `${origin} antwortet.`,
      remedy:
        "Prüfen Sie die Adresse und ihr Schema, das Zertifikat und ob dieser Server sich dorthin verbinden darf.",
    },
    protects: (resource) => `Er schützt ${resource}.`,
    issuerIs: (issuer) => `Sein Issuer ist ${issuer}.`,
    identifiers: {
      passed: (origin) => `Ressource, Issuer und Endpunkte gehören alle zu ${origin}.`,
      otherIssuer: (issuer, origin) =>
        `Der Issuer ist ${issuer}, gefragt wurde der Dienst aber unter ${origin}.`,
      otherServer: (named, origin) =>
        `Als Autorisierungsserver nennt die Ressource ${named}, nicht ${origin}.`,
      elsewhere: (url, origin) => `${url} liegt nicht unter ${origin}.`,
      publicOrigin:
        "Setzen Sie die Option publicOrigin des Dienstes auf die Adresse, unter der Clients ihn erreichen.",
      registered: (resource, key) => `${resource} ist schon als „${key}“ angemeldet.`,
      registeredRemedy: "Ändern Sie jenen Dienst, oder geben Sie diesem eine eigene Kennung.",
      moved: (resource, registered) =>
        `Der Dienst nennt sich ${resource} und ist als ${registered} angemeldet.`,
      movedRemedy: "Ändern Sie hier die Kennung der Ressource oder beim Dienst die Option resource.",
    },
    grants: {
      passed: "Er nimmt Identitätszusicherungen und DPoP mit ES256.",
      noAssertions: "Er bietet nicht an, Identitätszusicherungen (ID-JAG) zu nehmen.",
      noProofs: "Er bietet DPoP mit ES256 nicht an.",
      update: "Aktualisieren Sie das SDK des Dienstes.",
    },
    keys: {
      passed: (count) =>
        count === 1 ? "Ein ES256-Schlüssel, öffentlich." : `${count} ES256-Schlüssel, öffentlich.`,
      empty: "Es ist kein Schlüssel veröffentlicht.",
      remedy:
        "Veröffentlichen Sie nur den öffentlichen Schlüssel: generateEs256KeyPair() erzeugt ein passendes Paar.",
      isPrivate: (kid) =>
        `Der Schlüssel ${nameKey(kid)} ist mit seinem privaten Teil veröffentlicht: Ersetzen Sie ihn sofort.`,
      noKid: (kid) => `Der Schlüssel ${nameKey(kid)} hat keine kid.`,
      notEs256: (kid, reason) =>
        `Der Schlüssel ${nameKey(kid)} ist kein öffentlicher P-256-Schlüssel für ES256 (${reason}).`,
    },
    client: (id) =>
      `Zusicherungen werden den Client „${id}“ nennen. Welchen ein Dienst erwartet, veröffentlicht er nicht: Vergleichen Sie es mit seiner Option clientId.`,
    scopes: {
      passed: (scopes) => `Alle sind hier bekannt: ${scopes.join(", ")}.`,
      malformed: (scopes) => `Das können hier keine Scopes sein: ${scopes.join(", ")}.`,
      malformedRemedy: "Nennen Sie Scopes „Bereich:Berechtigung“, etwa contracts:read.",
      none: "Er nennt keine Scopes; so kann dort niemand etwas bekommen.",
      noneRemedy: "Setzen Sie seine supportedScopes.",
      unknown: (scopes) => `Hier noch nicht bekannt: ${scopes.join(", ")}.`,
      unknownRemedy: "Legen Sie sie an, bevor der Dienst gespeichert wird.",
      notChecked: (scopes) => `Hier eingetragen, vom Dienst aber nicht mehr geprüft: ${scopes.join(", ")}.`,
      notCheckedRemedy: "Nehmen Sie sie hier weg, oder ergänzen Sie die supportedScopes des Dienstes.",
      notRegistered: (scopes) => `Vom Dienst geprüft, hier aber nicht eingetragen: ${scopes.join(", ")}.`,
      notRegisteredRemedy: "Tragen Sie sie hier ein, damit man sie vergeben kann.",
    },
    skills: {
      passed: (count) =>
        `${count} ${count === 1 ? "Skill" : "Skills"}. Der Dienst vertraut den Schlüsseln dieses Servers.`,
      none: "Er veröffentlicht keine Skills.",
      remedy: "Prüfen Sie den Issuer, mit dem der Dienst eingerichtet ist, und die Einträge seines Katalogs.",
    },
    prefixes: {
      passed: (url) => `Clients dürfen alles unter ${url} aufrufen.`,
      taken: (url, key) => `${url} gehört schon zum Dienst „${key}“.`,
      takenRemedy: "Zwei Dienste können nicht dieselbe Adresse haben: Geben Sie einem eine engere.",
      nested: (url, other, key) => `${url} und ${other} von „${key}“ liegen ineinander.`,
      nestedRemedy:
        "Clients nehmen die längste Adresse, die passt. Vergewissern Sie sich, dass das so gemeint ist.",
    },
  },
  provider: {
    silent: "Die Metadaten sagen es nicht.",
    discovery: {
      title: "Die Metadaten sind lesbar",
      passed: (url) => `${url} antwortet mit JSON.`,
      status: (url, status) => `${url} antwortet mit dem Status ${status}.`,
      tooLarge: (url) => `${url} antwortet mit mehr als 256 KiB.`,
      notJson: (url) => `${url} antwortet nicht mit einem JSON-Objekt.`,
      remedy: "Vergleichen Sie den Issuer Zeichen für Zeichen mit dem, was der Anbieter selbst nennt.",
    },
    issuer: {
      title: "Der Issuer stimmt",
      passed: (issuer) => `Die Metadaten gehören zu ${issuer}.`,
      other: (said, wanted) => `Die Metadaten gehören zum Issuer ${said}, nicht zu ${wanted}.`,
      none: "Die Metadaten nennen keinen Issuer.",
      remedy: (said) => `Tragen Sie ${said} als Issuer ein, wenn das Ihr Anbieter ist.`,
    },
    endpoints: {
      title: "Die Endpunkte sind da, über https",
      missing: (names) => `In den Metadaten fehlt: ${names.join(", ")}.`,
      insecure: (names) => `Keine https:-Adresse: ${names.join(", ")}.`,
    },
    codeFlow: {
      title: "Die Anmeldung mit Code (Code Flow) wird angeboten",
      failed: (offered) => `Angeboten wird nur ${offered.join(", ")}.`,
      remedy: "Erlauben Sie beim Anbieter den Authorization Code Flow.",
    },
    pkce: {
      title: "PKCE mit S256 wird unterstützt",
      passed: "S256 ist unter den Methoden.",
      silent: "Die Metadaten sagen es nicht. Dieser Server sendet S256 in jedem Fall.",
      failed: (offered) => `Die Metadaten nennen ${offered.join(", ") || "keine Methode"}, nicht S256.`,
      remedy: "Schalten Sie beim Anbieter PKCE mit S256 ein.",
    },
    algorithms: {
      title: "ID-Token sind mit einem öffentlichen Schlüssel signiert",
      silent: "Die Metadaten sagen es nicht; angenommen wird RS256.",
      failed: (offered) =>
        `Angeboten wird nur ${offered.join(", ") || "nichts"}; das nimmt dieser Server nicht an.`,
      remedy: "Lassen Sie den Anbieter ID-Token mit RS256, PS256, ES256 oder EdDSA signieren.",
    },
    authentication: {
      title: "Der Anbieter nimmt an, wie der Client sich ausweist",
      failed: (offered, wanted) =>
        `Der Anbieter nennt ${offered.join(", ") || "keine Methode"}, nicht ${wanted.join(" oder ")}.`,
      remedy: "Wählen Sie eine Methode, die der Anbieter nennt, oder erlauben Sie diese dort.",
    },
    scopes: {
      title: "Der Anbieter kennt die Scopes",
      noOpenid: "Ohne openid gibt es kein ID-Token.",
      noOpenidRemedy: "Nehmen Sie openid zu den Scopes hinzu, dazu email und profile.",
      unknown: (scopes) =>
        `Die Metadaten nennen ${scopes.join(", ")} nicht. Nicht jeder Anbieter nennt alles, was er kennt.`,
    },
    claims: {
      title: "Der Anbieter sagt, welche E-Mail-Adresse jemand hat",
      passed: "email und email_verified.",
      missing: (claims) =>
        `Die Metadaten nennen ${claims.join(" und ")} nicht. Ohne bestätigte Adresse wird niemand angemeldet.`,
      remedy: (claims) =>
        `Lassen Sie den Anbieter ${claims.join(" und ")} senden, wenn eine Anmeldung daran scheitert.`,
    },
    keys: {
      title: "Die Signaturschlüssel sind lesbar",
      passed: (url, count) => `${url} hat ${count === 1 ? "1 Schlüssel" : `${count} Schlüssel`}.`,
      none: (url) => `${url} hat keine Schlüssel.`,
      noAddress: "Es gibt keine brauchbare jwks_uri, unter der sie zu lesen wären.",
    },
    signIn: {
      title: "Eine Anmeldung kann beginnen",
      passed: (url) => `Browser werden zu ${url} geschickt.`,
      failed: (cause) => `Die Metadaten werden nicht angenommen: ${cause}`,
    },
    client: {
      title: "Client-ID und Secret sind nicht geprüft",
      detail: "Nur eine Anmeldung zeigt, ob der Anbieter diesen Client und sein Secret kennt.",
      remedy: (callbackUrl) =>
        `Tragen Sie ${callbackUrl} beim Anbieter als Redirect-URI ein. Melden Sie sich dann einmal in einem privaten Fenster an.`,
    },
  },
  thirdParty: {
    refresh: {
      title: "Verbindungen halten",
      passed: "Refresh-Tokens werden angeboten.",
      silent: "Die Metadaten sagen nicht, ob es Refresh-Tokens gibt.",
      missing: (offered) =>
        `Angeboten wird nur ${offered.join(", ")}: Ohne Refresh-Tokens muss man sich immer wieder neu verbinden.`,
      remedy:
        "Erlauben Sie diesem Client Refresh-Tokens. Viele Drittanbieter wollen dafür den Scope offline_access oder einen Parameter.",
    },
    revocation: {
      title: "Tokens lassen sich widerrufen",
      passed: "Es gibt einen Endpunkt dafür.",
      none: "Die Metadaten nennen keinen Endpunkt zum Widerrufen: Trennt sich jemand, leben die Tokens weiter, bis sie ablaufen.",
      remedy:
        "Tragen Sie die Adresse ein, wenn der Drittanbieter eine hat. Sonst entfernt man den Zugriff dort selbst.",
    },
    client: {
      title: "Client-ID und Secret sind nicht geprüft",
      detail: "Erst ein verbundenes Konto zeigt, ob der Drittanbieter diesen Client und sein Secret kennt.",
      remedy: (callbackUrl) =>
        `Tragen Sie ${callbackUrl} beim Drittanbieter als Redirect-URI ein. Verbinden Sie dann ein eigenes Konto.`,
    },
  },
  directory: {
    passed: (email, groups) =>
      `Das Verzeichnis antwortet: ${email} ist in ${groups} ${groups === 1 ? "Gruppe" : "Gruppen"}.`,
  },
};

function nameKey(kid: string | undefined): string {
  return kid === undefined ? "ohne kid" : `„${kid}“`;
}
