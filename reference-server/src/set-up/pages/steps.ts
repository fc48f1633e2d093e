import type { Frame } from "../../pages/frame.js";
import { type Html, html } from "../../pages/html.js";
import { renderPage } from "../../pages/layout.js";

/** Token, provider, details, test. */
const steps = 4;

/** One step of the set-up. */
export function renderStep(
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
