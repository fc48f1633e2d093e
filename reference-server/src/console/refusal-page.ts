import { paths } from "../oauth/vocabulary.js";
import { html } from "../pages/html.js";
import type { AssignedPerson } from "../store/assignments.js";

const english = {
  language: "en",
  title: "This is for administrators",
  lead: (account: string, installation: string) =>
    `You are signed in as ${account}, who does not administer ${installation}.`,
  ask: "These people do, and can give you the permission:",
  nobody: "People get the permission through a group. Ask your IT department to put you into it.",
  home: "Go to your own page",
  other: "Use another account",
};
const german: typeof english = {
  language: "de",
  title: "Das ist für Administratoren",
  lead: (account, installation) => `Sie sind als ${account} angemeldet und verwalten ${installation} nicht.`,
  ask: "Diese Personen tun es und können Ihnen die Berechtigung geben:",
  nobody: "Die Berechtigung kommt aus einer Gruppe. Bitten Sie Ihre IT, Sie dort aufzunehmen.",
  home: "Zu Ihrer eigenen Seite",
  other: "Anderes Konto verwenden",
};

/** For whoever is signed in and does not administer: what is missing, and who can give it. */
export function renderRefusal(refusal: {
  readonly account: string;
  readonly installationName: string;
  readonly administrators: readonly AssignedPerson[];
  readonly acceptLanguage: string | undefined;
}): string {
  const { account, installationName, administrators, acceptLanguage = "" } = refusal;
  const texts = /^\s*de\b/i.test(acceptLanguage) ? german : english;
  const people = administrators.map(({ email, name }) =>
    name === null
      ? html`<li><a href="mailto:${email}">${email}</a></li>`
      : html`<li><span>${name}</span> <a href="mailto:${email}">${email}</a></li>`,
  );
  return html`<!doctype html>
<html lang="${texts.language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>${texts.title} · ${installationName}</title>
<link rel="icon" href="/assets/authz.svg" type="image/svg+xml">
<link rel="stylesheet" href="/assets/authz.css">
</head>
<body>
<main class="card">
<h1>${texts.title}</h1>
<p class="lead">${texts.lead(account, installationName)}</p>
${people.length === 0 ? html`<p>${texts.nobody}</p>` : html`<p>${texts.ask}</p><ul class="places">${people}</ul>`}
<p class="buttons pair"><a class="button" href="${paths.home}">${texts.home}</a><a class="button" href="${paths.signOut}">${texts.other}</a></p>
</main>
</body>
</html>
`.text;
}
