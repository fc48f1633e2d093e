import { paths } from "../protocol/vocabulary.js";
import type { Frame } from "./frame.js";
import { html } from "./html.js";
import { renderPage } from "./layout.js";
import { renderMarkdown } from "./markdown.js";
import { renderScopeKeys } from "./skills-section.js";

export interface SkillPage {
  readonly title: string;
  readonly description: string | undefined;
  /** `undefined` for the installation itself. */
  readonly publisherName: string | undefined;
  readonly requiredScopes: readonly string[];
  /** Of those, the ones that the person does not have. */
  readonly lacks: readonly string[];
  /** Markdown. */
  readonly content: string;
  readonly files: readonly { readonly path: string; readonly size: number }[];
}

/** One skill, to be read by a person. */
export function renderSkillPage(page: SkillPage, frame: Frame): string {
  const { title, description, publisherName, requiredScopes, lacks } = page;
  const { text, parts } = frame.texts;
  return renderPage(
    {
      title,
      wide: true,
      body: html`<p class="back"><a href="${paths.home}">${text("pages.skill.back")}</a></p>
<h1>${title}</h1>
${description !== undefined && html`<p class="lead">${description}</p>`}
<p class="muted">${text("pages.skill.from", { publisher: publisherName ?? frame.installationName ?? "Authz" })}${
        requiredScopes.length > 0 && html` · ${text("pages.skill.asks")} ${renderScopeKeys(requiredScopes)}`
      }</p>
${lacks.length > 0 && html`<p class="notice">${parts("pages.skill.notAllowed", { scopes: renderScopeKeys(lacks) })}</p>`}
<article class="markdown">
${renderMarkdown(page.content)}</article>
${
  page.files.length > 0 &&
  html`<h2>${text("pages.skill.files")}</h2>
<ul class="scopes">${page.files.map(
    ({ path, size }) =>
      html`<li><code>${path}</code> <span class="muted">${text("pages.skill.bytes", { size })}</span></li>`,
  )}</ul>`
}`,
    },
    frame,
  );
}
