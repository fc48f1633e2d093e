import { paths } from "../../protocol/vocabulary.js";
import type { Frame } from "../../pages/frame.js";
import { html } from "../../pages/html.js";
import { renderPage } from "../../pages/layout.js";
import type { AssignedPerson } from "../../store/assignments.js";

const english = {
  title: "This is for administrators",
  lead: (account: string, installation: string) =>
    `You are signed in as ${account}, who does not administer ${installation}.`,
  ask: "These people do, and can give you the permission:",
  nobody: "People get the permission through a group. Ask your IT department to put you into it.",
  home: "Go to your own page",
  other: "Use another account",
};
const german: typeof english = {
  title: "Das ist für Administratoren",
  lead: (account, installation) => `Sie sind als ${account} angemeldet und verwalten ${installation} nicht.`,
  ask: "Diese Personen tun es und können Ihnen die Berechtigung geben:",
  nobody: "Die Berechtigung kommt aus einer Gruppe. Bitten Sie Ihre IT, Sie dort aufzunehmen.",
  home: "Zu Ihrer eigenen Seite",
  other: "Anderes Konto verwenden",
};

/** For whoever is signed in and does not administer: what is missing, and who can give it. */
export function renderRefusal(
  {
    account,
    administrators,
  }: { readonly account: string; readonly administrators: readonly AssignedPerson[] },
  frame: Frame,
): string {
  const words = frame.texts.language === "de" ? german : english;
  const people = administrators.map(({ email, name }) => {
    const address = html`<a href="mailto:${email}">${email}</a>`;
    return name === null ? html`<li>${address}</li>` : html`<li><span>${name}</span> ${address}</li>`;
  });
  const body = html`<h1>${words.title}</h1>
<p class="lead">${words.lead(account, frame.installationName ?? "Authz")}</p>
${people.length === 0 ? html`<p>${words.nobody}</p>` : html`<p>${words.ask}</p><ul class="places">${people}</ul>`}
<p class="buttons pair"><a class="button" href="${paths.home}">${words.home}</a><a class="button" href="${paths.signOut}">${words.other}</a></p>`;
  return renderPage({ title: words.title, body }, frame);
}
