import type { en } from "../en/users";

export const de: typeof en = {
  title: "Personen",
  lead: "Alle, die sich schon einmal angemeldet haben. Wer vorher etwas darf, steht bei den Zuweisungen.",
  plural: "Personen",
  columns: {
    name: "Person",
    state: "Zustand",
    signedIn: "Letzte Anmeldung",
    browsers: "Browser",
    devices: "Geräte",
  },
  active: "Darf sich anmelden",
  disabled: "Gesperrt",
  anyState: "Jeder Zustand",
  noEmail: "Keine Adresse mehr",
  empty: {
    title: "Noch hat sich niemand angemeldet",
    text: "Personen erscheinen hier mit ihrer ersten Anmeldung. Berechtigungen können Sie schon vorher geben.",
    action: "Berechtigungen geben",
  },
  facts: {
    state: "Zustand",
    lastSignIn: "Letzte Anmeldung",
    firstSignIn: "Erste Anmeldung",
    id: "Kennung in Tokens (sub)",
    accounts: "Meldet sich an mit",
    noAccount: "Kein Konto mehr",
    providerOff: "ausgeschaltet",
  },
  permissions: {
    title: "Was die Person jetzt darf",
    lead: "Jeder Scope mit den Zuweisungen, die ihn geben.",
    give: "Berechtigungen geben",
    none: "Im Moment nichts.",
    noneDisabled: "Nichts, solange die Person gesperrt ist.",
    byEmail: "dieser Adresse zugewiesen",
    byGroup: (group, provider) => `als Mitglied von ${group} (${provider})`,
    undecided: (groups) =>
      `Lässt sich gerade nicht sagen: ${groups}. Das Verzeichnis antwortet nicht, deshalb zählt es nicht.`,
  },
  groups: {
    title: "Gruppen",
    lead: "Was Anmeldeanbieter bei der letzten Anmeldung gesagt haben. Verzeichnisse werden gefragt, wenn es darauf ankommt.",
    none: "Kein Anmeldeanbieter hat eine Gruppe genannt.",
    until: "Ablauf:",
    expired: "Gilt nicht mehr: Die letzte Anmeldung ist zu lange her.",
    providerOff: "Gilt nicht: Diese Gruppenquelle ist ausgeschaltet.",
  },
  disable: "Sperren",
  disableTitle: (name) => `${name} sperren?`,
  disableText:
    "Alle Sitzungen und Geräte enden sofort, was Dienste ausgestellt haben, innerhalb von zehn Minuten. Zuweisungen bleiben und zählen nach dem Entsperren wieder.",
  disableSubmit: "Sperren",
  disabledDone: (name) => `${name} ist gesperrt.`,
  enable: "Entsperren",
  enableTitle: (name) => `${name} entsperren?`,
  enableText: "Die Person kann sich wieder anmelden und darf, was die Zuweisungen sagen.",
  enableSubmit: "Entsperren",
  enabledDone: (name) => `${name} kann sich wieder anmelden.`,
  signOut: "Überall abmelden",
  signOutTitle: (name) => `${name} überall abmelden?`,
  signOutText:
    "Alle Browser-Sitzungen enden, und jedes Gerät muss sich neu anmelden. Das darf die Person sofort; ihre Berechtigungen behält sie.",
  signOutSubmit: "Überall abmelden",
  signedOut: (browsers, devices) =>
    browsers + devices === 0
      ? "Es gab nichts zu beenden."
      : `Beendet: ${browsers} Browser-${browsers === 1 ? "Sitzung" : "Sitzungen"}, ${devices} ${devices === 1 ? "Gerät" : "Geräte"}.`,
  disabledBanner: (name) => `${name} ist gesperrt`,
  disabledBannerText: "Die Person kann sich nicht anmelden, und keine Zuweisung zählt.",
};
