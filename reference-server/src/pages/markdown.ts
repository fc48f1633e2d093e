import markdownIt from "markdown-it";
import { Html, html } from "./html.js";

/**
 * Markdown from outside as inert HTML: its own HTML is shown as text, links lead to https addresses only and tell
 * them nothing, images are not loaded.
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

/** Renders Markdown that anybody may have written; what is very long is shown as it is. */
export function renderMarkdown(text: string): Html {
  if (text.length > maximumLength) return html`<pre tabindex="0">${text}</pre>`;
  return new Html(markdown.render(text));
}
