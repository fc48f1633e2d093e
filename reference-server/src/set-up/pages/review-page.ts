import { copyScript } from "../../pages/copy-button.js";
import type { Frame } from "../../pages/frame.js";
import { type Html, html } from "../../pages/html.js";
import { renderStateIcon } from "../../pages/state-icon.js";
import { paths } from "../../protocol/vocabulary.js";
import type { Check } from "../../registry/probes/check.js";
import { describeSignIn } from "../../registry/probes/describe-sign-in.js";
import { setUpChecks } from "../../registry/probes/sign-in-checks.js";
import { type Message, renderMessage } from "../../text/message.js";
import type { SetUpResult } from "../draft.js";
import type { Installation } from "../installation.js";
import { renderCallbackUrl } from "./callback-url.js";
import { renderStep } from "./steps.js";

export interface ReviewPage {
  readonly installation: Installation;
  readonly callbackUrl: string;
  /** How the last sign-in ended; `undefined` before the first. */
  readonly result: SetUpResult | undefined;
  readonly csrfToken: string;
}

/** Everything at a glance, the test and its result, and the end. */
export function renderReviewPage(page: ReviewPage, frame: Frame): string {
  const { installation, result } = page;
  const { text } = frame.texts;
  const form = (path: string, label: string, kind: string) =>
    html`<form method="post" action="${path}"><input type="hidden" name="csrf" value="${page.csrfToken}"><button class="${kind}">${label}</button></form>`;
  const passed = result !== undefined && result.fault === undefined;
  const test = form(
    paths.setUpTest,
    result === undefined ? text("set-up.review.test") : text("set-up.review.testAgain"),
    passed ? "" : "primary",
  );
  const complete = form(paths.setUpComplete, text("set-up.review.complete"), passed ? "primary" : "");
  const change = html`<a class="button" href="${paths.setUp}?step=details">${text("set-up.review.change")}</a>`;
  // What comes next is first, and filled.
  const buttons = passed ? [complete, test, change] : [test, change, complete];
  const body = html`${result === undefined ? html`<p class="lead">${text("set-up.review.lead")}</p>` : renderResult(result, installation, frame)}
<dl class="facts">
<div><dt>${text("set-up.review.installation")}</dt><dd>${installation.installationName}</dd></div>
<div><dt>${text("set-up.review.administrator")}</dt><dd>${installation.administratorEmail}</dd></div>
<div><dt>${text("set-up.review.provider")}</dt><dd>${installation.provider.name}<br><code>${installation.provider.issuer}</code></dd></div>
</dl>
<p class="label">${text("set-up.review.callback")}</p>
${renderCallbackUrl(page.callbackUrl, frame)}
<div class="buttons">${buttons}</div>
<p class="hint">${text("set-up.review.completeHint")}</p>
<p class="hint">${text("set-up.review.lost")}</p>`;
  return renderStep({ step: 4, heading: text("set-up.review.heading"), body, scripts: [copyScript] }, frame);
}

function renderResult(result: SetUpResult, installation: Installation, { texts }: Frame): Html {
  const { text } = texts;
  const { fault, detail: said } = result;
  const say = (message: Message) => renderMessage(message, texts);
  const { provider, administratorEmail: administrator } = installation;
  const described = describeSignIn(result, { checks: setUpChecks, provider, administrator, say });
  const failedTitle =
    result.purpose === "test" ? text("set-up.result.failed") : text("set-up.result.notCompleted");
  const explain = ({ detail, remedy }: Check): Html =>
    html`<span class="why">${detail} <strong>${remedy}</strong>${
      said !== undefined &&
      html`<span class="muted">${text("set-up.result.said")} <code lang="en">${said}</code></span>`
    }</span>`;
  const item = (check: Check) => {
    const state = check.state === "passed" || check.state === "failed" ? check.state : "open";
    return html`<li class="${state}">${renderStateIcon(state)}<span>${check.title} <span class="word">(${text(`set-up.result.states.${state}`)})</span>${check.state === "failed" && explain(check)}</span></li>\n`;
  };
  return html`<div class="result" role="status"><p class="${fault === undefined ? "success" : "problem"}">${fault === undefined ? text("set-up.result.passed") : failedTitle}</p>
<ol class="checks">
${described.map(item)}</ol></div>`;
}
