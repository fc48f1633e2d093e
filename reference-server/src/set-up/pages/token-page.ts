import type { Frame } from "../../pages/frame.js";
import { html } from "../../pages/html.js";
import { paths } from "../../protocol/vocabulary.js";
import { renderStep } from "./steps.js";

/** Asks whoever opened the set-up to show that they run this server. */
export function renderTokenPage(
  page: { readonly csrfToken: string; readonly refused: boolean },
  frame: Frame,
): string {
  const { text } = frame.texts;
  const body = html`<p class="lead">${text("set-up.token.lead")}</p>
<form method="post" action="${paths.setUpToken}" class="field">
<input type="hidden" name="csrf" value="${page.csrfToken}">
<label for="token">${text("set-up.token.label")}</label>
<input id="token" name="token" type="password" required maxlength="100" autocomplete="off" spellcheck="false" autofocus${
    page.refused && html` aria-invalid="true" aria-describedby="problem"`
  }>
${page.refused && html`<p class="problem" id="problem" role="alert">${text("set-up.token.refused")}</p>`}
<div class="buttons"><button class="primary">${text("set-up.token.next")}</button></div>
</form>`;
  return renderStep({ step: 1, heading: text("set-up.token.heading"), body }, frame);
}
