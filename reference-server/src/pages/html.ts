/** Text that is HTML already. Everything else is escaped when it is put into a template. */
export class Html {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

type Value = Html | string | number | undefined | false | readonly (Html | string)[];

/** Builds HTML; interpolated values are escaped unless they are `Html`. `false` and `undefined` leave nothing. */
export function html(strings: TemplateStringsArray, ...values: readonly Value[]): Html {
  const text = strings.reduce((result, part, index) => result + toText(values[index - 1]) + part);
  return new Html(text);
}

function toText(value: Value): string {
  if (value === undefined || value === false) return "";
  if (value instanceof Html) return value.text;
  if (typeof value === "object") return value.map(toText).join("");
  return escape(String(value));
}

function escape(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** What is between the tags `<strong>` of a sentence. */
export function strong(inside: readonly (string | Html)[]): Html {
  return html`<strong>${inside}</strong>`;
}

/** Makes a link of what is between two tags of a sentence. */
export function linkTo(href: string): (inside: readonly (string | Html)[]) => Html {
  return (inside) => html`<a href="${href}">${inside}</a>`;
}
