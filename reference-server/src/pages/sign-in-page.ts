import type { Frame } from "./frame.js";
import { html } from "./html.js";
import { renderPage } from "./layout.js";

export interface SignInChoice {
  readonly name: string;
  /** Where the link leads. */
  readonly href: string;
}

/** The choice of the company account, when there are several kinds. */
export function renderSignInPage(choices: readonly SignInChoice[], frame: Frame): string {
  const { signIn } = frame.texts;
  const items = choices.map(
    ({ name, href }) =>
      html`<li><a class="choice" href="${href}"><span>${name}</span><span aria-hidden="true">→</span></a></li>\n`,
  );
  return renderPage(
    {
      title: signIn.title,
      body: html`<h1>${signIn.heading(frame.installationName ?? "Authz")}</h1>
<p class="lead">${signIn.lead}</p>
<ul class="choices">
${items}</ul>`,
    },
    frame,
  );
}

/** What a browser sees that is not signed in and did not come with a request. */
export function renderWelcomePage(
  page: { readonly signInHref: string; readonly signedOut: boolean },
  frame: Frame,
): string {
  const { welcome } = frame.texts;
  const link = (label: string) =>
    html`<p class="buttons"><a class="button" href="${page.signInHref}">${label}</a></p>`;
  return renderPage(
    {
      title: page.signedOut ? welcome.signedOutTitle : welcome.title,
      body: page.signedOut
        ? html`<h1>${welcome.signedOut}</h1>
<p class="lead">${welcome.signedOutLead}</p>
${link(welcome.signInAgain)}`
        : html`<h1>${frame.installationName}</h1>
<p class="lead">${welcome.lead}</p>
${link(welcome.signIn)}
<p class="hint">${welcome.hint(html`<code class="sample">authz login</code>`)}</p>`,
    },
    frame,
  );
}
