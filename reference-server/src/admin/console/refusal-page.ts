import { paths } from "../../protocol/vocabulary.js";
import type { Frame } from "../../pages/frame.js";
import { html } from "../../pages/html.js";
import { renderPage } from "../../pages/layout.js";
import { renderMessage } from "../../text/message.js";
import { textsIn } from "../../text/texts.js";
import { sayBelow } from "../../text/say-below.js";
import type { AssignedPerson } from "../../store/assignments.js";

/** For whoever is signed in and does not administer: what is missing, and who can give it. */
export function renderRefusal(
  {
    account,
    administrators,
  }: { readonly account: string; readonly administrators: readonly AssignedPerson[] },
  frame: Frame,
): string {
  const t = sayBelow("administration.accessRefused", (message) =>
    renderMessage(message, textsIn(frame.texts.language)),
  );
  const people = administrators.map(({ email, name }) => {
    const address = html`<a href="mailto:${email}">${email}</a>`;
    return name === null ? html`<li>${address}</li>` : html`<li><span>${name}</span> ${address}</li>`;
  });
  const body = html`<h1>${t("title")}</h1>
<p class="lead">${t("lead", { account, installation: frame.installationName ?? "Authz" })}</p>
${people.length === 0 ? html`<p>${t("nobody")}</p>` : html`<p>${t("ask")}</p><ul class="places">${people}</ul>`}
<p class="buttons pair"><a class="button" href="${paths.home}">${t("home")}</a><a class="button" href="${paths.signOut}">${t("other")}</a></p>`;
  return renderPage({ title: t("title"), body }, frame);
}
