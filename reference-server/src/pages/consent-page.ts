import { clientScopes, isClientScope, paths } from "../oauth/vocabulary.js";
import type { User } from "../store/users.js";
import { renderAccount } from "./account.js";
import { html } from "./html.js";
import { renderPage } from "./layout.js";

export interface ConsentPage {
  readonly installationName: string;
  readonly clientName: string;
  readonly shortCode: string;
  /** Host and port that the answer goes to. */
  readonly place: string;
  readonly user: User;
  readonly scopes: readonly string[];
  readonly requestId: string;
  readonly csrfToken: string;
  readonly switchAccountHref: string;
}

/** Asks the person whether the client may act for them. */
export function renderConsentPage(page: ConsentPage): string {
  const { clientName, installationName } = page;
  const scopes = page.scopes
    .filter(isClientScope)
    .map((scope) => html`<li><span>${clientScopes[scope]}</span><code>${scope}</code></li>\n`);
  return renderPage({
    title: `Allow ${clientName}?`,
    installationName,
    body: html`<h1>Allow <em>${clientName}</em> to act for you?</h1>
<p class="lead">A program on this computer asks to use services at ${installationName} with your account.</p>
<div class="device">
<p class="label">Device code</p>
<p class="code">${page.shortCode}</p>
<p class="hint">Your terminal shows the same code. If it does not, or if you did not just start this yourself, deny.</p>
</div>
${renderAccount(page.user, html`<a href="${page.switchAccountHref}">Not you?</a>`)}
<h2>It will be able to</h2>
<ul class="scopes">
${scopes}</ul>
<form method="post" action="${paths.consent}">
<input type="hidden" name="request" value="${page.requestId}">
<input type="hidden" name="csrf" value="${page.csrfToken}">
<div class="buttons pair">
<button name="decision" value="deny">Deny</button>
<button name="decision" value="allow">Allow</button>
</div>
</form>
<p class="hint center">The answer goes to <code>${page.place}</code></p>`,
  });
}
