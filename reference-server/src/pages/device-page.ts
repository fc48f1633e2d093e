import { paths } from "../protocol/vocabulary.js";
import type { User } from "../store/users.js";
import { renderAccount } from "./fragments.js";
import type { Frame } from "./frame.js";
import { html, linkTo } from "./html.js";
import { renderPage } from "./layout.js";

export interface DevicePage {
  readonly user: User;
  /** What the address or the person gave, to be compared and sent. */
  readonly userCode: string | undefined;
  /** What was wrong with the code that was sent. */
  readonly problem: "malformed" | "unknown" | undefined;
  readonly csrfToken: string;
  readonly switchAccountHref: string;
}

/** Asks for the code that a device without a browser shows. */
export function renderDevicePage(page: DevicePage, frame: Frame): string {
  const { userCode } = page;
  const { text, parts } = frame.texts;
  const problem =
    page.problem === "malformed"
      ? parts("pages.device.malformed", { example: html`<code class="sample">WDJB-MJHT</code>` })
      : page.problem && text("pages.device.unknown");
  return renderPage(
    {
      title: text("pages.device.title"),
      body: html`<h1>${text("pages.device.title")}</h1>
<p class="lead">${userCode === undefined || problem !== undefined ? text("pages.device.typeCode") : text("pages.device.compareCode")}</p>
<form method="post" action="${paths.device}" class="field">
<input type="hidden" name="csrf" value="${page.csrfToken}">
<label for="user-code">${text("pages.device.code")}</label>
<input id="user-code" class="code" name="user_code" value="${userCode ?? ""}" placeholder="XXXX-XXXX" maxlength="20" required autocomplete="off" autocapitalize="characters" spellcheck="false"${
        problem !== undefined && html` aria-invalid="true" aria-describedby="problem"`
      }${userCode === undefined && html` autofocus`}>
${problem !== undefined && html`<p class="problem" id="problem" role="alert">${problem}</p>`}
<div class="buttons"><button class="primary">${text("pages.device.continue")}</button></div>
</form>
<h2>${text("pages.account.signedInAs")}</h2>
${renderAccount(page.user, html`<a href="${page.switchAccountHref}">${text("pages.account.notYou")}</a>`, frame)}`,
    },
    frame,
  );
}

/** The end of a device's request in the browser; the device itself goes on by asking. */
export function renderDeviceEndPage(page: { readonly allowed: boolean }, frame: Frame): string {
  const { text, parts } = frame.texts;
  return renderPage(
    {
      title: page.allowed ? text("pages.device.connectedTitle") : text("pages.device.notConnectedTitle"),
      body: page.allowed
        ? html`<h1>${text("pages.device.connected")}</h1>
<p class="lead">${text("pages.device.connectedLead")}</p>
<p class="hint">${parts("pages.device.connectedHint", { link: linkTo(paths.home) })}</p>`
        : html`<h1>${text("pages.device.notConnected")}</h1>
<p class="lead">${text("pages.device.notConnectedLead")}</p>`,
    },
    frame,
  );
}
