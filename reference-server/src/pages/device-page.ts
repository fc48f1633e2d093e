import { paths } from "../oauth/vocabulary.js";
import type { User } from "../store/users.js";
import { renderAccount } from "./account.js";
import { html } from "./html.js";
import { renderPage } from "./layout.js";

export interface DevicePage {
  readonly installationName: string;
  readonly user: User;
  /** What the address or the person gave, to be compared and sent. */
  readonly userCode: string | undefined;
  /** What was wrong with the code that was sent. */
  readonly problem: string | undefined;
  readonly csrfToken: string;
  readonly switchAccountHref: string;
}

/** Asks for the code that a device without a browser shows. */
export function renderDevicePage(page: DevicePage): string {
  const { installationName, userCode, problem } = page;
  return renderPage({
    title: "Connect a device",
    installationName,
    body: html`<h1>Connect a device</h1>
<p class="lead">${
      userCode === undefined || problem !== undefined
        ? "Type the code that your device shows."
        : "Compare the code with the one that your device shows. Go on only if it is the same, and only if you started this yourself."
    }</p>
<form method="post" action="${paths.device}" class="field">
<input type="hidden" name="csrf" value="${page.csrfToken}">
<label for="user-code">Code</label>
<input id="user-code" class="code" name="user_code" value="${userCode ?? ""}" placeholder="XXXX-XXXX" maxlength="20" required autocomplete="off" autocapitalize="characters" spellcheck="false"${
      problem !== undefined && html` aria-invalid="true" aria-describedby="problem"`
    }${userCode === undefined && html` autofocus`}>
${problem !== undefined && html`<p class="problem" id="problem" role="alert">${problem}</p>`}
<div class="buttons"><button>Continue</button></div>
</form>
<h2>Signed in as</h2>
${renderAccount(page.user, html`<a href="${page.switchAccountHref}">Not you?</a>`)}`,
  });
}

/** The end of a device's request in the browser; the device itself goes on by asking. */
export function renderDeviceEndPage(page: {
  readonly installationName: string;
  readonly allowed: boolean;
}): string {
  return renderPage({
    title: page.allowed ? "Device connected" : "Device not connected",
    installationName: page.installationName,
    body: page.allowed
      ? html`<h1>Your device is connected</h1>
<p class="lead">Go back to it: in a few seconds it goes on by itself. You can close this page.</p>
<p class="hint">You can sign the device out at any time on <a href="${paths.home}">your account page</a>.</p>`
      : html`<h1>The device is not connected</h1>
<p class="lead">It got nothing and is told so. You can close this page.</p>`,
  });
}
