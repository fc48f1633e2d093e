import type { ServerResponse } from "node:http";

/** The frame of a site's pages. Its style knows `brand`, `mark`, `card`, `small` and `face`. */
export interface Site {
  /** Behind each page's own title. */
  readonly title: string;
  readonly brand: string;
  readonly tagline: string;
  readonly style: string;
}

/** A whole page: no script, and the word that it is for development only. */
export function renderPage(
  { title: siteTitle, brand, tagline, style }: Site,
  title: string,
  body: string,
): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escape(title)} · ${siteTitle}</title>
<style>${style}</style>
</head>
<body>
<main>
<p class="brand"><span class="mark" aria-hidden="true"></span>${brand} <span>${tagline}</span></p>
<div class="card">${body}</div>
<p class="small">For development on this computer only. There are no passwords: anybody here can be anyone.</p>
</main>
</body>
</html>
`;
}

/** The initials of a name, as a picture. */
export function renderFace(name: string): string {
  const initials = name
    .split(" ")
    .map((word) => word.slice(0, 1))
    .join("");
  return `<span class="face" aria-hidden="true">${escape(initials)}</span>`;
}

/** Text for HTML, also within an attribute. */
export function escape(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}

/** Sends a page, with headers that let nothing run in it. */
export function sendPage(response: ServerResponse, status: number, html: string): void {
  response
    .writeHead(status, {
      "content-type": "text/html; charset=utf-8",
      "cache-control": "no-store",
      "content-security-policy":
        "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'",
      "referrer-policy": "same-origin",
      "x-content-type-options": "nosniff",
    })
    .end(html);
}
