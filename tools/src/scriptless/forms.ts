/** What a browser sends when a button of a form is pressed. */
export interface FilledForm {
  readonly action: URL;
  /** What is sent whichever button is pressed. */
  readonly fields: Readonly<Record<string, string>>;
  /** Default: `POST`. */
  readonly method?: string;
  /** The page, and what it lets its forms say about where they come from. Default: one of the same site. */
  readonly from?: { readonly url: URL; readonly referrerPolicy: string };
}

/** One form of a page. */
export interface Form extends Required<FilledForm> {
  readonly buttons: readonly Button[];
}

export interface Button {
  /** Empty when the button itself sends nothing. */
  readonly name: string;
  readonly value: string;
  readonly text: string;
}

export interface Link {
  readonly url: URL;
  readonly text: string;
}

/** The first form of a page. @throws {Error} There is none. */
export function readForm({
  url,
  status,
  html,
  forms: [form],
}: {
  readonly url: URL;
  readonly status: number;
  readonly html: string;
  readonly forms: readonly Form[];
}): Form {
  if (form === undefined) throw new Error(`No form at ${url.href} (${status}): ${html}`);
  return form;
}

/** The forms of an HTML page, in the order of the page. */
export function parseForms(
  { html, headers }: { readonly html: string; readonly headers: Headers },
  url: URL,
): readonly Form[] {
  const from = { url, referrerPolicy: headers.get("referrer-policy") ?? "" };
  return elementsOf(html, "form").map(({ attributes, body }) => ({
    action: new URL(attributes.get("action") ?? "", url),
    method: (attributes.get("method") ?? "get").toUpperCase(),
    fields: parseFields(body),
    buttons: elementsOf(body, "button").map((button) => ({
      name: button.attributes.get("name") ?? "",
      value: button.attributes.get("value") ?? "",
      text: textOf(button.body),
    })),
    from,
  }));
}

/** The links of an HTML page, in the order of the page. */
export function parseLinks(html: string, url: URL): readonly Link[] {
  return elementsOf(html, "a").flatMap(({ attributes, body }) => {
    const href = attributes.get("href");
    return href !== undefined && URL.canParse(href, url.href)
      ? [{ url: new URL(href, url), text: textOf(body) }]
      : [];
  });
}

/** The address that a page leads to without a press, after no time at all. */
export function parseRefresh(html: string): string | undefined {
  const refresh = emptyElementsOf(html, "meta").find(
    (meta) => meta.get("http-equiv")?.toLowerCase() === "refresh",
  );
  return /^0;\s*url=(.+)$/i.exec(refresh?.get("content") ?? "")?.[1];
}

function parseFields(html: string): Record<string, string> {
  const sent = emptyElementsOf(html, "input").filter((input) => {
    const type = (input.get("type") ?? "text").toLowerCase();
    const unchecked = ["checkbox", "radio"].includes(type) && !input.has("checked");
    return input.has("name") && !input.has("disabled") && type !== "submit" && !unchecked;
  });
  return Object.fromEntries(sent.map((input) => [input.get("name") ?? "", input.get("value") ?? ""]));
}

function elementsOf(html: string, name: string) {
  const elements = html.matchAll(new RegExp(`<${name}\\b([^>]*)>([^]*?)</${name}>`, "gi"));
  return [...elements].map(([, head = "", body = ""]) => ({ attributes: parseAttributes(head), body }));
}

function emptyElementsOf(html: string, name: string): readonly Map<string, string>[] {
  const elements = html.matchAll(new RegExp(`<${name}\\b([^>]*)>`, "gi"));
  return [...elements].map(([, attributes = ""]) => parseAttributes(attributes));
}

/** What a person reads of a piece of a page. */
function textOf(html: string): string {
  return decode(html.replaceAll(/<[^>]*>/g, " "))
    .replaceAll(/\s+/g, " ")
    .trim();
}

function parseAttributes(text: string): Map<string, string> {
  const found = text.matchAll(/([^\s=/"'<>]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+)))?/g);
  return new Map(
    [...found].map(([, name = "", double, single, bare]) => [
      name.toLowerCase(),
      decode(double ?? single ?? bare ?? ""),
    ]),
  );
}

const entities: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  nbsp: " ",
};

function decode(text: string): string {
  return text.replaceAll(
    /&(?:#x([0-9a-f]+)|#(\d+)|([a-z]+));/gi,
    (all, hex?: string, decimal?: string, name?: string) => {
      if (name !== undefined) return entities[name.toLowerCase()] ?? all;
      return String.fromCodePoint(hex === undefined ? Number(decimal) : Number.parseInt(hex, 16));
    },
  );
}
