import { type Check, checkOfFault, checks } from "../checks.js";
import type { SetUpResult } from "../draft.js";
import type { Installation } from "../installation.js";
import { paths } from "../../protocol/vocabulary.js";
import type { Frame } from "../../pages/frame.js";
import { type Html, html } from "../../pages/html.js";
import { copyScript, renderCallbackUrl } from "./callback-url.js";
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
  const { review } = frame.texts.setUp;
  const form = (path: string, label: string, kind: string) =>
    html`<form method="post" action="${path}"><input type="hidden" name="csrf" value="${page.csrfToken}"><button class="${kind}">${label}</button></form>`;
  const passed = result !== undefined && result.fault === undefined;
  const test = form(
    paths.setUpTest,
    result === undefined ? review.test : review.testAgain,
    passed ? "" : "primary",
  );
  const complete = form(paths.setUpComplete, review.complete, passed ? "primary" : "");
  const change = html`<a class="button" href="${paths.setUp}?step=details">${review.change}</a>`;
  // What comes next is first, and filled.
  const buttons = passed ? [complete, test, change] : [test, change, complete];
  const body = html`${result === undefined ? html`<p class="lead">${review.lead}</p>` : renderResult(result, installation, frame)}
<dl class="facts">
<div><dt>${review.installation}</dt><dd>${installation.installationName}</dd></div>
<div><dt>${review.administrator}</dt><dd>${installation.administratorEmail}</dd></div>
<div><dt>${review.provider}</dt><dd>${installation.provider.name}<br><code>${installation.provider.issuer}</code></dd></div>
</dl>
<p class="label">${review.callback}</p>
${renderCallbackUrl(page.callbackUrl, frame)}
<div class="buttons">${buttons}</div>
<p class="hint">${review.completeHint}</p>
<p class="hint">${review.lost}</p>`;
  return renderStep({ step: 4, heading: review.heading, body, script: copyScript }, frame);
}

function renderResult(
  result: SetUpResult,
  { provider, administratorEmail }: Installation,
  { texts }: Frame,
): Html {
  const words = texts.setUp.result;
  const { fault, detail } = result;
  const failed = fault === undefined ? checks.length : checks.indexOf(checkOfFault[fault]);
  const failedTitle = result.purpose === "test" ? words.failed : words.notCompleted;
  const about = {
    provider: provider.name,
    email: result.email ?? "",
    administrator: administratorEmail,
    issuer: provider.issuer,
  };
  const explain = (): Html | undefined =>
    fault &&
    html`<span class="why">${words.faults[fault].what(about)} <strong>${words.faults[fault].remedy(about)}</strong>${
      detail !== undefined && html`<span class="muted">${words.said} <code lang="en">${detail}</code></span>`
    }</span>`;
  const item = (check: Check, index: number) => {
    const state = index < failed ? "passed" : index === failed ? "failed" : "open";
    return html`<li class="${state}"><span class="state" aria-hidden="true"></span><span>${words.checks[check]} <span class="word">(${words.states[state]})</span>${state === "failed" && explain()}</span></li>\n`;
  };
  return html`<div class="result" role="status"><p class="${fault === undefined ? "success" : "problem"}">${fault === undefined ? words.passed : failedTitle}</p>
<ol class="checks">
${checks.map(item)}</ol></div>`;
}
