import { copyScript } from "../../pages/copy-button.js";
import type { Frame } from "../../pages/frame.js";
import { type Html, html } from "../../pages/html.js";
import { paths } from "../../protocol/vocabulary.js";
import type { DetailField, DetailValues } from "../detail-fields.js";
import type { DetailProblems } from "../details-form.js";
import { authMethods, type Preset } from "../presets.js";
import { renderCallbackUrl } from "./callback-url.js";
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
