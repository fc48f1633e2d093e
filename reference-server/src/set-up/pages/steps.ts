import type { Frame } from "../../pages/frame.js";
import { type Html, html } from "../../pages/html.js";
import { renderPage } from "../../pages/layout.js";

/** Token, provider, details, test. */
const steps = 4;

/** One step of the set-up. */
export function renderStep(
  { step, heading, body, script }: { step: number; heading: string; body: Html; script?: string },
  frame: Frame,
): string {
  const { setUp } = frame.texts;
  return renderPage(
    {
      title: setUp.title,
      wide: true,
      ...(script !== undefined && { script }),
      body: html`<p class="step">${setUp.step(step, steps)}</p>
<h1>${heading}</h1>
${body}`,
    },
    frame,
  );
}
