import { paths } from "../protocol/vocabulary.js";
import { renderTime } from "./dates.js";
import type { Frame } from "./frame.js";
import { type Html, html } from "./html.js";
import { renderPage } from "./layout.js";

/** What a person reads of a stop that concerns them. */
export interface ShownStop {
  readonly id: string;
  readonly kind: "all" | "user" | "app";
  /** The name of the app. */
  readonly app: string | undefined;
  readonly since: Date;
  /** They stopped it themselves, so they can start it again. */
  readonly own: boolean;
}

/** What is stopped, and the way to start what the person has stopped. */
export function renderStops(
  { stops, csrfToken }: { readonly stops: readonly ShownStop[]; readonly csrfToken: string },
  frame: Frame,
): Html | false {
  if (stops.length === 0) return false;
  const { text, parts } = frame.texts;
  const items = stops.map(({ id, kind, app = "", since, own }) => {
    const values = { name: app, own: String(own), date: renderTime(since, frame.texts) };
    const label = text("pages.home.stops.startOf", {
      name: kind === "app" ? app : text("pages.home.stops.allApps"),
    });
    const start =
      own &&
      html`<form method="post" action="${paths.startApps}"><input type="hidden" name="csrf" value="${csrfToken}"><input type="hidden" name="id" value="${id}"><button class="quiet" aria-label="${label}">${text("pages.home.stops.start")}</button></form>`;
    return html`<li><div><strong>${parts<Html>(`pages.home.stops.${kind}`, values)}</strong><span class="muted">${text("pages.home.stops.hint")}</span></div>${start}</li>\n`;
  });
  return html`<ul class="places">
${items}</ul>\n`;
}

/** The way to stop one app. */
export function renderStopLink(
  { id, name }: { readonly id: string; readonly name: string },
  { texts: { text } }: Frame,
): Html {
  const href = `${paths.stopApps}?${new URLSearchParams({ client: id }).toString()}`;
  return html`<p><a href="${href}" aria-label="${text("pages.home.stops.stopOf", { name })}">${text("pages.home.stops.stop")}</a></p>`;
}

/** Asks before one app, or all of them, are stopped. */
export function renderStopPage(
  {
    app,
    csrfToken,
  }: { readonly app: { readonly id: string; readonly name: string } | undefined; readonly csrfToken: string },
  frame: Frame,
): string {
  const { text } = frame.texts;
  const title =
    app === undefined
      ? text("pages.home.stops.headingAll")
      : text("pages.home.stops.heading", { name: app.name });
  const label = app === undefined ? text("pages.home.stops.stopAll") : text("pages.home.stops.stop");
  return renderPage(
    {
      title,
      body: html`<h1>${title}</h1>
<p>${text(app === undefined ? "pages.home.stops.leadAll" : "pages.home.stops.lead")}</p>
<p class="hint">${text("pages.home.stops.later")}</p>
<form method="post" action="${paths.stopApps}"><input type="hidden" name="csrf" value="${csrfToken}">${app !== undefined && html`<input type="hidden" name="client" value="${app.id}">`}
<div class="buttons pair"><a class="button" href="${paths.home}">${text("pages.home.stops.keep")}</a><button>${label}</button></div>
</form>`,
    },
    frame,
  );
}
