import markdownIt from "markdown-it";
import { paths } from "../protocol/vocabulary.js";
import type { Frame } from "./frame.js";
import { html, Html } from "./html.js";
import { renderPage } from "./layout.js";
import { renderScopeKeys } from "./skills-section.js";

interface SkillPage {
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

/**
 * Untrusted Markdown as inert HTML: its own HTML is shown as text, links lead to https addresses only and send no referrer, images are
 * not loaded.
 */
const markdown = markdownIt({ html: false, linkify: false, typographer: false }).disable("image");
markdown.validateLink = (url) => url.startsWith("https://");
markdown.renderer.rules["link_open"] = (tokens, index, options, _environment, self) => {
  tokens[index]?.attrSet("rel", "noopener noreferrer nofollow");
  return self.renderToken(tokens, index, options);
};
markdown.core.ruler.push("page_headings", ({ tokens }) => {
  // The page's title is the h1.
  for (const token of tokens) {
    if (/^h[1-5]$/.test(token.tag)) token.tag = `h${Number(token.tag[1]) + 1}`;
  }
});
// Wide tables and lines scroll by themselves, and with the keyboard, instead of widening the page.
markdown.renderer.rules["table_open"] = () => '<div class="scrolling" tabindex="0"><table>\n';
markdown.renderer.rules["table_close"] = () => "</table></div>\n";

/** Characters that are read as Markdown. A text of a megabyte can be written so that reading it takes many seconds. */
const maximumLength = 65_536;

/** Renders untrusted Markdown; very long text is shown unformatted. */
export function renderMarkdown(text: string): Html {
  if (text.length > maximumLength) return html`<pre tabindex="0">${text}</pre>`;
  return new Html(markdown.render(text));
}
