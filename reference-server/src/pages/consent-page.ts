import { clientScopes, isClientScope, paths } from "../oauth/vocabulary.js";
import type { User } from "../store/users.js";
import { renderAccount } from "./account.js";
import { type Html, html } from "./html.js";
import { renderPage } from "./layout.js";

/** Who asks: a program on this computer, an application elsewhere, or a device that shows a user code. */
export type ConsentOrigin =
  | { readonly kind: "here" | "elsewhere"; readonly place: string }
  | { readonly kind: "device" };

export interface ConsentPage {
  readonly installationName: string;
  readonly clientName: string;
  /** `undefined` for a client without a key of its own. */
  readonly shortCode: string | undefined;
  readonly origin: ConsentOrigin;
  readonly user: User;
  readonly scopes: readonly string[];
  readonly requestId: string;
  readonly csrfToken: string;
  readonly switchAccountHref: string;
}

/** Asks the person whether the client may act for them. */
export function renderConsentPage(page: ConsentPage): string {
  const { clientName, installationName, origin } = page;
  const scopes = page.scopes
    .filter(isClientScope)
    .map((scope) => html`<li><span>${clientScopes[scope]}</span><code>${scope}</code></li>\n`);
  return renderPage({
    title: `Allow ${clientName}?`,
    installationName,
    body: html`<h1>Allow <em>${clientName}</em> to act for you?</h1>
<p class="lead">${renderOrigin(origin)} asks to use services at ${installationName} with your account.</p>
${page.shortCode !== undefined && renderShortCode(page.shortCode, origin)}
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
<p class="hint center">${
      origin.kind === "device"
        ? "The answer goes to the device whose code you typed."
        : html`The answer goes to <code>${origin.place}</code>`
    }</p>`,
  });
}

function renderOrigin(origin: ConsentOrigin): Html {
  if (origin.kind === "device") return html`A program on <strong>another device</strong>`;
  return origin.kind === "here"
    ? html`A program on this computer`
    : html`The application at <strong>${origin.place}</strong>`;
}

function renderShortCode(shortCode: string, { kind }: ConsentOrigin): Html {
  const hint =
    kind === "device"
      ? "This names the device's key; the command line shows it as well. If you did not just start this yourself, deny."
      : "Your terminal shows the same code. If it does not, or if you did not just start this yourself, deny.";
  return html`<div class="device">
<p class="label">Device code</p>
<p class="code">${shortCode}</p>
<p class="hint">${hint}</p>
</div>`;
}
