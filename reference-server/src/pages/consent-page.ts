import { isClientScope, paths } from "../protocol/vocabulary.js";
import type { User } from "../store/users.js";
import { renderAccount } from "./account.js";
import { renderMoment } from "./dates.js";
import type { Frame } from "./frame.js";
import { type Html, html, strong } from "./html.js";
import { renderPage } from "./layout.js";

/** Who asks: a program on this computer, an application elsewhere, or a device that shows a user code. */
export type ConsentOrigin =
  | { readonly kind: "here" | "elsewhere"; readonly place: string }
  | {
      readonly kind: "device";
      /** Where the device asked from; `null` when that is not known. */
      readonly address: string | null;
      readonly askedAt: Date;
    };

export interface ConsentPage {
  readonly clientName: string;
  /** `undefined` when the request named no key. */
  readonly shortCode: string | undefined;
  readonly origin: ConsentOrigin;
  readonly user: User;
  readonly scopes: readonly string[];
  readonly requestId: string;
  readonly csrfToken: string;
  readonly switchAccountHref: string;
}

/** Asks the person whether the client may act for them. */
export function renderConsentPage(page: ConsentPage, frame: Frame): string {
  const { clientName, origin } = page;
  const { text, parts } = frame.texts;
  const scopes = page.scopes
    .filter(isClientScope)
    .map(
      (scope) =>
        html`<li><span>${text(`pages.consent.clientScopes.${scope}`)}</span><code>${scope}</code></li>\n`,
    );
  return renderPage(
    {
      title: text("pages.consent.title", { client: clientName }),
      body: html`<h1>${parts("pages.consent.heading", { client: html`<em>${clientName}</em>` })}</h1>
<p class="lead">${renderOrigin(origin, frame)}</p>
${renderDevice(page, frame)}
${renderAccount(page.user, html`<a href="${page.switchAccountHref}">${text("pages.account.notYou")}</a>`, frame)}
<h2>${text("pages.consent.abilities")}</h2>
<ul class="scopes">
${scopes}</ul>
<form method="post" action="${paths.consent}">
<input type="hidden" name="request" value="${page.requestId}">
<input type="hidden" name="csrf" value="${page.csrfToken}">
<div class="buttons pair">
<button name="decision" value="deny">${text("pages.consent.deny")}</button>
<button name="decision" value="allow">${text("pages.consent.allow")}</button>
</div>
</form>
<p class="hint center">${
        origin.kind === "device"
          ? text("pages.consent.answerToDevice")
          : parts("pages.consent.answerTo", { place: html`<code>${origin.place}</code>` })
      }</p>`,
    },
    frame,
  );
}

function renderOrigin(origin: ConsentOrigin, { installationName = "Authz", texts }: Frame): Html {
  const values = { installation: installationName, strong };
  if (origin.kind === "elsewhere") {
    return html`${texts.parts("pages.consent.fromElsewhere", { ...values, place: origin.place })}`;
  }
  return html`${texts.parts(origin.kind === "device" ? "pages.consent.fromDevice" : "pages.consent.fromHere", values)}`;
}

/** What tells this device from any other: its key, and for a device elsewhere the place it asked from. */
function renderDevice({ shortCode, origin }: ConsentPage, { texts }: Frame): Html {
  const { text } = texts;
  const place =
    origin.kind === "device" &&
    html`<dl class="facts">
<div><dt>${text("pages.consent.askedFrom")}</dt><dd>${origin.address === null ? text("pages.consent.unknownAddress") : html`<code>${origin.address}</code>`}</dd></div>
<div><dt>${text("pages.consent.askedAt")}</dt><dd>${renderMoment(origin.askedAt, texts)}</dd></div>
</dl>`;
  const meaning =
    origin.kind === "device" ? text("pages.consent.deviceCodeOther") : text("pages.consent.deviceCodeHere");
  const code =
    shortCode === undefined
      ? html`<p class="hint">${text("pages.consent.noDeviceCode")}</p>`
      : html`<p class="code">${shortCode}</p>
<p class="hint">${meaning}</p>`;
  return html`<div class="device">
<p class="label">${text("pages.consent.deviceCode")}</p>
${code}
${place}
</div>`;
}
