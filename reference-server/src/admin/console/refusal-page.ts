import { paths } from "../../protocol/vocabulary.js";
import type { Frame } from "../../pages/frame.js";
import { html } from "../../pages/html.js";
import { renderPage } from "../../pages/layout.js";
import { renderPeopleToAsk } from "../../pages/fragments.js";
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
  const body = html`<h1>${t("title")}</h1>
<p class="lead">${t("lead", { account, installation: frame.installationName ?? "Authz" })}</p>
${renderPeopleToAsk(administrators, { ask: t("ask"), nobody: t("nobody") })}
<p class="buttons pair"><a class="button" href="${paths.home}">${t("home")}</a><a class="button" href="${paths.signOut}">${t("other")}</a></p>`;
  return renderPage({ title: t("title"), body }, frame);
}
