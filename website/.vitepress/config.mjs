import process from "node:process";
import { defineConfig } from "vitepress";
import { navigation } from "../site/navigation.mjs";
import { listPages, readDocument, repository, sitePath, slugOf, summaryOf } from "../site/pages.mjs";
import { linkOf, sidebarOf } from "../site/sidebar.mjs";
import { currentVersion } from "../site/versions.mjs";

const base = process.env.DOCS_BASE ?? "/";
const documents = new Map(listPages().map((document) => [sitePath(document), document]));

export default defineConfig({
  title: "Authz",
  description: "Let an AI agent call your company's APIs with exactly its employee's permissions.",
  lang: "en-US",
  base,
  srcDir: "pages",
  outDir: process.env.DOCS_OUT ?? "dist",
  head: [["link", { rel: "icon", type: "image/svg+xml", href: `${base}authz.svg` }]],
  vite: {
    publicDir: "../public",
    define: { __DOCS_VERSION__: JSON.stringify(currentVersion()) },
    build: { chunkSizeWarningLimit: 4000 },
  },
  markdown: {
    anchor: { slugify: slugOf },
    config(markdown) {
      markdown.core.ruler.before("inline", "pictures", (state) => {
        for (const token of state.tokens) {
          if (token.type === "html_block") token.content = asModules(followSwitch(token.content));
        }
      });
    },
  },
  transformPageData({ filePath, frontmatter }) {
    const document = documents.get(filePath);
    if (document === undefined) return undefined;
    // Generated pages have no source to edit.
    const isSource = !document.startsWith("website/");
    return {
      description: summaryOf(readDocument(document)),
      frontmatter: { ...frontmatter, document, ...(!isSource && { editLink: false }) },
    };
  },
  themeConfig: {
    logo: "/authz.svg",
    nav: navigation.map(({ text, start }) => ({ text, link: linkOf(start) })),
    sidebar: sidebarOf(withApi(navigation)),
    search: { provider: "local" },
    outline: { level: [2, 3] },
    socialLinks: [{ icon: "github", link: repository }],
    editLink: {
      // Runs in the browser, so it cannot use this module's constants.
      pattern: ({ frontmatter }) => `https://github.com/authz/authz/edit/main/${frontmatter.document}`,
      text: "Edit this page",
    },
    footer: {
      message: "Apache License 2.0. Every page is also Markdown: put .md where its address has .html.",
    },
  },
});

/** Adds TypeDoc's pages after the SDK packages. */
function withApi(parts) {
  const pages = [...documents.values()]
    .filter((document) => /^website\/sdk\/@authz\/[\w-]+(?:\/index)?\.md$/.test(document))
    .map((document) => [document, `@authz/${/@authz\/([\w-]+)/.exec(document)[1]}`])
    .sort(([, one], [, other]) => one.localeCompare(other));
  const withPages = (group) => (group.text === "SDK" ? [group, { text: "API of the SDK", pages }] : [group]);
  return parts.map((part) => ({ ...part, groups: part.groups.flatMap(withPages) }));
}

/** Replaces a picture by two images, so that the site's theme switch selects one. */
function followSwitch(html) {
  return html.replaceAll(
    /<picture>\s*<source [^>]*srcset="([^"]+)"[^>]*>\s*<img ([^>]*)src="([^"]+)"([^>]*)>\s*<\/picture>/g,
    (_, dark, before, light, after) =>
      `<img class="light-only" ${before}src="${light}"${after}><img class="dark-only" ${before}src="${dark}"${after}>`,
  );
}

/** Vite resolves a path without a leading dot as a package. */
function asModules(html) {
  return html.replaceAll(/\bsrc="(?!\.|\/|[a-z]+:)/g, 'src="./');
}
