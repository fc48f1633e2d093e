import { paths } from "../protocol/vocabulary.js";
import { renderTime } from "./dates.js";
import type { Texts } from "../text/texts.js";
import type { Frame } from "./frame.js";
import { type Html, html } from "./html.js";

/** A permission in words. */
export interface ScopeInWords {
  readonly key: string;
  readonly description: string;
}

/** A permission that a person has. */
export interface HeldPermission extends ScopeInWords {
  /** When it ends; absent: it is for good. */
  readonly until?: Date | undefined;
}

/** What a person may do, and where. */
export interface PermissionsSection {
  /** At the installation itself. */
  readonly own: readonly HeldPermission[];
  /** At services, the first of them. */
  readonly services: readonly HeldService[];
  /** Services that are not listed any more. */
  readonly moreServices: number;
  /** Services where the person has nothing and can ask for something, the first of them. */
  readonly others: readonly { readonly key: string; readonly name: string }[];
  /** Unavailable directories, which may hold groups of the user. */
  readonly silentDirectories: readonly string[];
}

export interface HeldService {
  readonly key: string;
  readonly name: string;
  readonly scopes: readonly HeldPermission[];
  /** Whether there is more to ask for. */
  readonly lacks: boolean;
}

interface HeldPlace {
  readonly name: string;
  readonly scopes: readonly HeldPermission[];
  /** Where more can be asked for; absent: there is no more. */
  readonly askHref?: string | undefined;
}

/** The page where a person asks for what they lack at a service. */
export function accessHref(of: { readonly service: string } | { readonly connector: string }): string {
  return `${paths.access}?${new URLSearchParams({ ...of }).toString()}`;
}

export function renderPermissions(section: PermissionsSection, { installationName, texts }: Frame): Html {
  const { own, services, moreServices, others, silentDirectories } = section;
  const { text, has } = texts;
  const describeOwn = (scope: string): string | undefined => {
    const key = `pages.home.systemScopes.${scope}`;
    return has(key) ? text(key) : undefined;
  };
  const places: readonly HeldPlace[] = [
    ...(own.length === 0
      ? []
      : [
          {
            name: text("pages.home.ofInstallation", { installation: installationName ?? "Authz" }),
            scopes: own.map((scope) => ({
              ...scope,
              description: describeOwn(scope.key) ?? scope.description,
            })),
          },
        ]),
    ...services.map(({ key, lacks, ...service }) => ({
      ...service,
      askHref: lacks ? accessHref({ service: key }) : undefined,
    })),
  ];
  const groups = places.map(
    ({ name, scopes, askHref }) => html`<h3>${name}</h3>
<ul class="scopes">
${scopes.map((scope) => renderHeld(scope, texts))}</ul>
${askHref !== undefined && html`<p class="hint"><a href="${askHref}" aria-label="${text("pages.home.askMoreOf", { name })}">${text("pages.home.askMore")}</a></p>\n`}`,
  );
  return html`${groups}${groups.length === 0 && html`<p class="empty">${text("pages.home.noPermissions")}</p>\n`}${
    moreServices > 0 && html`<p class="hint">${text("pages.home.more", { count: moreServices })}</p>\n`
  }${others.length > 0 && renderOthers(others, texts)}${
    silentDirectories.length > 0 &&
    html`<p class="notice">${text("pages.home.undecided", { directories: silentDirectories.join(", ") })}</p>\n`
  }`;
}

function renderHeld({ key, description, until }: HeldPermission, texts: Texts): Html {
  const end =
    until !== undefined &&
    html`<span class="muted">${texts.parts<Html>("pages.access.until", { date: renderTime(until, texts) })}</span>`;
  return html`<li><span>${description}${end}</span><code>${key}</code></li>\n`;
}

function renderOthers(others: PermissionsSection["others"], { text }: Texts): Html {
  const items = others.map(
    ({ key, name }) =>
      html`<li><span>${name}</span><a href="${accessHref({ service: key })}" aria-label="${text("pages.home.askForOf", { name })}">${text("pages.home.askFor")}</a></li>\n`,
  );
  return html`<details><summary>${text("pages.home.others", { count: others.length })}</summary><ul class="places">
${items}</ul></details>\n`;
}
