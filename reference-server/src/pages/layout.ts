import type { Frame } from "./frame.js";
import { type Html, html } from "./html.js";

export interface Page {
  readonly title: string;
  readonly body: Html;
  /** Twice as wide, for pages with lists and forms. */
  readonly wide?: boolean;
  /** Scripts of this server that make something more comfortable; the page works without them. */
  readonly scripts?: readonly string[];
  /** Where the browser goes on by itself. */
  readonly refreshTo?: string;
}

/** One card under the installation's name; every page of the server looks like this. */
export function renderPage(
  { title, body, wide, scripts = [], refreshTo }: Page,
  { installationName, logo, texts }: Frame,
): string {
  const name = installationName ?? "Authz";
  const mark =
    logo === undefined
      ? html`<span class="mark" aria-hidden="true">${name.trim().slice(0, 1).toUpperCase()}</span>`
      : html`<img class="mark logo" src="${logo}" alt="">`;
  const page = html`<!doctype html>
<html lang="${texts.language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
${refreshTo !== undefined && html`<meta http-equiv="refresh" content="0; url=${refreshTo}">\n`}<title>${title} · ${name}</title>
<link rel="icon" href="/assets/authz.svg" type="image/svg+xml">
<link rel="stylesheet" href="/assets/authz.css">
${scripts.map((script) => html`<script src="${script}" defer></script>\n`)}</head>
<body${wide === true && html` class="wide"`}>
<header class="brand">${mark}<span>${name}</span></header>
<main class="card">
${body}
</main>
</body>
</html>
`;
  return page.text;
}
