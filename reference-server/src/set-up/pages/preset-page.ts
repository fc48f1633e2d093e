import type { Frame } from "../../pages/frame.js";
import { html } from "../../pages/html.js";
import { paths } from "../../protocol/vocabulary.js";
import { presetKeys, presets } from "../presets.js";
import { renderStep } from "./steps.js";

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
