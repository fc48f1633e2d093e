import { copyScript, renderCopyButton } from "../pages/fragments.js";
import type { Frame } from "../pages/frame.js";
import { type Html, html } from "../pages/html.js";
import { renderPage } from "../pages/layout.js";
import { paths } from "../protocol/vocabulary.js";
import type { Check } from "../registry/probes/check.js";
import { describeSignIn } from "../registry/probes/describe-sign-in.js";
import { setUpChecks } from "../registry/probes/sign-in-checks.js";
import { type Message, renderMessage } from "../text/message.js";
import type { DetailProblems } from "./details-form.js";
import type { SetUpResult } from "./draft.js";
import {
  authMethods,
  type DetailField,
  type DetailValues,
  type Installation,
  type Preset,
  presetKeys,
  presets,
} from "./installation.js";

export interface DetailsPage {
  readonly preset: Preset;
  readonly callbackUrl: string;
  readonly values: DetailValues;
  readonly problems: DetailProblems;
  /** A secret was entered before. */
  readonly hasSecret: boolean;
  readonly tooLong: boolean;
  readonly csrfToken: string;
}

const optional: ReadonlySet<DetailField> = new Set(["button_label", "discovery_url", "domains"]);

/** Asks for everything that the set-up stores. */
export function renderDetailsPage(page: DetailsPage, frame: Frame): string {
  const { preset, problems } = page;
  const { text, parts } = frame.texts;
  const wrong = Object.keys(problems).length > 0;
  const field = (name: DetailField, attributes?: Html) => renderField(page, { name, attributes }, frame);
  const advanced = (["button_label", "discovery_url", "auth_method", "scopes"] as const).some(
    (name) => name in problems,
  );
  const body = html`${(wrong || page.tooLong) && html`<p class="problem" role="alert">${page.tooLong ? text("set-up.details.tooLong") : text("set-up.problems")}</p>\n`}
<h2>${preset.name ?? text("set-up.preset.other")}</h2>
<p>${text(`set-up.details.notes.${preset.key}`)}${
    preset.documentation !== undefined &&
    html` ${parts("set-up.details.documentation", { link: documentation(preset.documentation) })}`
  }</p>
<p class="label" id="callback">${text("set-up.details.callback")}</p>
${renderCallbackUrl(page.callbackUrl, frame)}
<form method="post" action="${paths.setUpDetails}" class="fields" novalidate>
<input type="hidden" name="csrf" value="${page.csrfToken}">
<input type="hidden" name="preset" value="${preset.key}">
<fieldset><legend>${text("set-up.details.you")}</legend>
${field("administrator_email", html` type="email" autocomplete="email"`)}
${field("installation_name", html` autocomplete="organization"`)}
</fieldset>
<fieldset><legend>${text("set-up.details.provider")}</legend>
${field("name")}
${field("issuer", html` type="url" inputmode="url" spellcheck="false"`)}
${field("client_id", html` autocomplete="off" spellcheck="false"`)}
${field("client_secret", html` type="password" autocomplete="off" spellcheck="false"`)}
${field("domains", html` spellcheck="false"`)}
<details${advanced && html` open`}><summary>${text("set-up.details.more")}</summary>
${field("button_label")}
${field("discovery_url", html` type="url" inputmode="url" spellcheck="false"`)}
${renderMethods(page, frame)}
${field("scopes", html` spellcheck="false"`)}
</details>
</fieldset>
<div class="buttons"><button class="primary">${text("set-up.details.next")}</button><a class="button" href="${paths.setUp}?step=provider">${text("set-up.details.otherProvider")}</a></div>
</form>`;
  return renderStep({ step: 3, heading: text("set-up.details.heading"), body, scripts: [copyScript] }, frame);
}

function documentation(href: string): (inside: readonly (string | Html)[]) => Html {
  return (inside) => html`<a href="${href}" rel="noopener noreferrer">${inside}</a>`;
}

function renderField(
  page: DetailsPage,
  { name, attributes }: { readonly name: DetailField; readonly attributes: Html | undefined },
  frame: Frame,
): Html {
  const { text, has } = frame.texts;
  const usual = `set-up.details.fields.${name}.hint`;
  const hint =
    name === "client_secret" && page.hasSecret
      ? text("set-up.details.secretKept")
      : has(usual)
        ? text(usual)
        : undefined;
  const problem = problemOf(page, name, frame);
  const described = [problem && `${name}-problem`, hint && `${name}-hint`].filter(Boolean).join(" ");
  return html`<div class="field"><label for="${name}">${text(`set-up.details.fields.${name}.label`)}${optional.has(name) && html` <span class="muted">(${text("set-up.optional")})</span>`}</label>
${hint !== undefined && html`<p class="hint" id="${name}-hint">${hint}</p>\n`}<input id="${name}" name="${name}" value="${page.values[name]}"${attributes}${
    problem !== undefined && html` aria-invalid="true"`
  }${described !== "" && html` aria-describedby="${described}"`}${!optional.has(name) && html` aria-required="true"`}>
${problem !== undefined && html`<p class="problem" id="${name}-problem">${problem}</p>`}</div>`;
}

function problemOf({ problems }: DetailsPage, name: DetailField, { texts }: Frame): string | undefined {
  const { text } = texts;
  const problem = problems[name];
  if (problem === "missing") return text("set-up.missing");
  if (problem === "superfluous") return text("set-up.details.secretSuperfluous");
  return problem && text(`set-up.details.fields.${name}.fault`);
}

function renderMethods({ values }: DetailsPage, { texts }: Frame): Html {
  const { text } = texts;
  const methods = authMethods.map(
    (value) =>
      html`<option value="${value}"${value === values.auth_method && html` selected`}>${text(`set-up.details.authMethods.${value || "asOffered"}`)}</option>\n`,
  );
  return html`<div class="field"><label for="auth_method">${text("set-up.details.fields.auth_method.label")}</label>
<select id="auth_method" name="auth_method">
${methods}</select></div>`;
}

/** An address to be copied by hand, or with one click where scripts run. */
function renderCallbackUrl(url: string, { texts }: Frame): Html {
  return html`<div class="copyable"><code>${url}</code>${renderCopyButton(url, texts)}</div>`;
}

/**
 * Leads on to the provider by itself.
 *
 * A page, because Chromium applies `form-action` to redirects, and where the provider's page is is not known before it
 * was asked.
 */
export function renderLeavingPage(
  page: { readonly provider: string; readonly href: string },
  frame: Frame,
): string {
  const { text } = frame.texts;
  return renderPage(
    {
      title: text("set-up.title"),
      refreshTo: page.href,
      body: html`<h1>${text("set-up.leaving.heading", { provider: page.provider })}</h1>
<p class="lead">${text("set-up.leaving.lead")}</p>
<p class="buttons"><a class="button" href="${page.href}">${text("set-up.leaving.link")}</a></p>`,
    },
    frame,
  );
}

/** The end: everything is stored and the administrator is signed in. */
export function renderDonePage(page: { readonly email: string }, frame: Frame): string {
  const { text } = frame.texts;
  return renderPage(
    {
      title: text("set-up.title"),
      body: html`<h1>${text("set-up.done.heading", { installation: frame.installationName ?? "Authz" })}</h1>
<p class="lead">${text("set-up.done.lead", { email: page.email })}</p>
<p>${text("set-up.done.next")}</p>
<p class="buttons"><a class="button primary" href="${paths.administration}">${text("set-up.done.console")}</a></p>`,
    },
    frame,
  );
}

/** The choice of the kind of provider. */
export function renderPresetPage(frame: Frame): string {
  const { text } = frame.texts;
  const choices = presetKeys.map(
    (key) =>
      html`<li><a class="choice" href="${paths.setUp}?provider=${key}"><span>${presets[key].name ?? text("set-up.preset.other")}</span><span aria-hidden="true">→</span></a></li>\n`,
  );
  const body = html`<p class="lead">${text("set-up.preset.lead")}</p>
<ul class="choices grid">
${choices}</ul>`;
  return renderStep({ step: 2, heading: text("set-up.preset.heading"), body }, frame);
}

interface ReviewPage {
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
  const { fault, detail: providerMessage } = result;
  const say = (message: Message) => renderMessage(message, texts);
  const { provider, administratorEmail: administrator } = installation;
  const described = describeSignIn(result, { checks: setUpChecks, provider, administrator, say });
  const failedTitle =
    result.purpose === "test" ? text("set-up.result.failed") : text("set-up.result.notCompleted");
  const explain = ({ detail, remedy }: Check): Html =>
    html`<span class="why">${detail} <strong>${remedy}</strong>${
      providerMessage !== undefined &&
      html`<span class="muted">${text("set-up.result.providerMessage")} <code lang="en">${providerMessage}</code></span>`
    }</span>`;
  const item = (check: Check) => {
    const state = check.state === "passed" || check.state === "failed" ? check.state : "open";
    return html`<li class="${state}">${renderStateIcon(state)}<span>${check.title} <span class="word">(${text(`set-up.result.states.${state}`)})</span>${check.state === "failed" && explain(check)}</span></li>\n`;
  };
  return html`<div class="result" role="status"><p class="${fault === undefined ? "success" : "problem"}">${fault === undefined ? text("set-up.result.passed") : failedTitle}</p>
<ol class="checks">
${described.map(item)}</ol></div>`;
}

/** Token, provider, details, test. */
const steps = 4;

/** One step of the set-up. */
function renderStep(
  {
    step,
    heading,
    body,
    scripts,
  }: { step: number; heading: string; body: Html; scripts?: readonly string[] },
  frame: Frame,
): string {
  const { text } = frame.texts;
  return renderPage(
    {
      title: text("set-up.title"),
      wide: true,
      ...(scripts !== undefined && { scripts }),
      body: html`<p class="step">${text("set-up.step", { step, steps })}</p>
<h1>${heading}</h1>
${body}`,
    },
    frame,
  );
}

/** Asks for the token that proves control of this server. */
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

/** Drawn, because not every font has such signs, and some have them in color. On a grid of 16. */
const drawings = {
  passed: html`<path d="M3 8.5l3.3 3.3L13 5"/>`,
  failed: html`<path d="M4 4l8 8M12 4l-8 8"/>`,
  open: html`<path d="M4.5 8h7"/>`,
} as const;

/** The state of a check, beside its text. */
function renderStateIcon(state: keyof typeof drawings): Html {
  return html`<svg class="state" viewBox="0 0 16 16" fill="none" stroke="currentColor" stroke-width="2" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true">${drawings[state]}</svg>`;
}
