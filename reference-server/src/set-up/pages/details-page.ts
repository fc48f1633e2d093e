import type { DetailField, DetailProblems, DetailValues } from "../details-form.js";
import type { Preset } from "../presets.js";
import { paths } from "../../protocol/vocabulary.js";
import type { Frame } from "../../pages/frame.js";
import { type Html, html } from "../../pages/html.js";
import { copyScript, renderCallbackUrl } from "./callback-url.js";
import { renderStep } from "./steps.js";

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
  const { details, preset: presetWords, problems: problemsWord } = frame.texts.setUp;
  const wrong = Object.keys(problems).length > 0;
  const field = (name: DetailField, attributes?: Html) => renderField(page, { name, attributes }, frame);
  const advanced = (["button_label", "discovery_url", "auth_method", "scopes"] as const).some(
    (name) => name in problems,
  );
  const body = html`${(wrong || page.tooLong) && html`<p class="problem" role="alert">${page.tooLong ? details.tooLong : problemsWord}</p>\n`}
<h2>${preset.name ?? presetWords.other}</h2>
<p>${details.notes[preset.key]}${
    preset.documentation !== undefined &&
    html` ${details.documentation(html`<a href="${preset.documentation}" rel="noopener noreferrer">${details.documentationLabel}</a>`)}`
  }</p>
<p class="label" id="callback">${details.callback}</p>
${renderCallbackUrl(page.callbackUrl, frame)}
<form method="post" action="${paths.setUpDetails}" class="fields" novalidate>
<input type="hidden" name="csrf" value="${page.csrfToken}">
<input type="hidden" name="preset" value="${preset.key}">
<fieldset><legend>${details.you}</legend>
${field("administrator_email", html` type="email" autocomplete="email"`)}
${field("installation_name", html` autocomplete="organization"`)}
</fieldset>
<fieldset><legend>${details.provider}</legend>
${field("name")}
${field("issuer", html` type="url" inputmode="url" spellcheck="false"`)}
${field("client_id", html` autocomplete="off" spellcheck="false"`)}
${field("client_secret", html` type="password" autocomplete="off" spellcheck="false"`)}
${field("domains", html` spellcheck="false"`)}
<details${advanced && html` open`}><summary>${details.more}</summary>
${field("button_label")}
${field("discovery_url", html` type="url" inputmode="url" spellcheck="false"`)}
${renderMethods(page, frame)}
${field("scopes", html` spellcheck="false"`)}
</details>
</fieldset>
<div class="buttons"><button class="primary">${details.next}</button><a class="button" href="${paths.setUp}?step=provider">${details.otherProvider}</a></div>
</form>`;
  return renderStep({ step: 3, heading: details.heading, body, script: copyScript }, frame);
}

function renderField(
  page: DetailsPage,
  { name, attributes }: { readonly name: DetailField; readonly attributes: Html | undefined },
  frame: Frame,
): Html {
  const { setUp } = frame.texts;
  const { label, hint: usual } = setUp.details.fields[name];
  const hint = name === "client_secret" && page.hasSecret ? setUp.details.secretKept : usual;
  const problem = problemOf(page, name, frame);
  const described = [problem && `${name}-problem`, hint && `${name}-hint`].filter(Boolean).join(" ");
  return html`<div class="field"><label for="${name}">${label}${optional.has(name) && html` <span class="muted">(${setUp.optional})</span>`}</label>
${hint !== undefined && html`<p class="hint" id="${name}-hint">${hint}</p>\n`}<input id="${name}" name="${name}" value="${page.values[name]}"${attributes}${
    problem !== undefined && html` aria-invalid="true"`
  }${described !== "" && html` aria-describedby="${described}"`}${!optional.has(name) && html` aria-required="true"`}>
${problem !== undefined && html`<p class="problem" id="${name}-problem">${problem}</p>`}</div>`;
}

function problemOf({ problems }: DetailsPage, name: DetailField, { texts }: Frame): string | undefined {
  const { missing, details } = texts.setUp;
  const problem = problems[name];
  if (problem === "missing") return missing;
  if (problem === "superfluous") return details.secretSuperfluous;
  return problem && details.fields[name].fault;
}

function renderMethods({ values }: DetailsPage, { texts }: Frame): Html {
  const { details } = texts.setUp;
  const methods = Object.entries(details.authMethods).map(
    ([value, label]) =>
      html`<option value="${value}"${value === values.auth_method && html` selected`}>${label}</option>\n`,
  );
  return html`<div class="field"><label for="auth_method">${details.fields.auth_method.label}</label>
<select id="auth_method" name="auth_method">
${methods}</select></div>`;
}
