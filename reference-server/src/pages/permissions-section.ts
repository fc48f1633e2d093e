import type { Frame } from "./frame.js";
import { type Html, html } from "./html.js";

/** A permission in words. */
export interface ScopeInWords {
  readonly key: string;
  readonly description: string;
}

/** What a person may do, and where. */
export interface PermissionsSection {
  /** At the installation itself. */
  readonly own: readonly ScopeInWords[];
  /** At services, the first of them. */
  readonly services: readonly { readonly name: string; readonly scopes: readonly ScopeInWords[] }[];
  /** Services that are not listed any more. */
  readonly moreServices: number;
  /** Directories that cannot say now which groups the person is in. */
  readonly silentDirectories: readonly string[];
}

export function renderPermissions(section: PermissionsSection, { installationName, texts }: Frame): Html {
  const { own, services, moreServices, silentDirectories } = section;
  const { text, has } = texts;
  const describeOwn = (scope: string): string | undefined => {
    const key = `pages.home.systemScopes.${scope}`;
    return has(key) ? text(key) : undefined;
  };
  const places = [
    ...(own.length === 0
      ? []
      : [
          {
            name: text("pages.home.ofInstallation", { installation: installationName ?? "Authz" }),
            scopes: own.map(({ key, description }) => ({
              key,
              description: describeOwn(key) ?? description,
            })),
          },
        ]),
    ...services,
  ];
  const groups = places.map(
    ({ name, scopes }) => html`<h3>${name}</h3>
<ul class="scopes">
${scopes.map(({ key, description }) => html`<li><span>${description}</span><code>${key}</code></li>\n`)}</ul>\n`,
  );
  return html`${groups}${groups.length === 0 && html`<p class="empty">${text("pages.home.noPermissions")}</p>\n`}${
    moreServices > 0 && html`<p class="hint">${text("pages.home.more", { count: moreServices })}</p>\n`
  }${
    silentDirectories.length > 0 &&
    html`<p class="notice">${text("pages.home.undecided", { directories: silentDirectories.join(", ") })}</p>\n`
  }`;
}
