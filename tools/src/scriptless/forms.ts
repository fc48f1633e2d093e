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
  return [...html.matchAll(/<form\b([^>]*)>([^]*?)<\/form>/gi)].map(([, head = "", body = ""]) => {
    const form = parseAttributes(head);
    return {
      action: new URL(form.get("action") ?? "", url),
      method: (form.get("method") ?? "get").toUpperCase(),
      fields: parseFields(body),
      buttons: parseButtons(body),
      from,
    };
  });
}

/** The links of an HTML page, in the order of the page. */
export function parseLinks(html: string, url: URL): readonly Link[] {
  return [...html.matchAll(/<a\b([^>]*)>([^]*?)<\/a>/gi)].flatMap(([, head = "", body = ""]) => {
    const href = parseAttributes(head).get("href");
    return href !== undefined && URL.canParse(href, url.href)
      ? [{ url: new URL(href, url), text: textOf(body) }]
      : [];
  });
}

/** The address that a page leads to without a press, after no time at all. */
export function parseRefresh(html: string): string | undefined {
  for (const [, text = ""] of html.matchAll(/<meta\b([^>]*)>/gi)) {
    const meta = parseAttributes(text);
    if (meta.get("http-equiv")?.toLowerCase() === "refresh") {
      return /^0;\s*url=(.+)$/i.exec(meta.get("content") ?? "")?.[1];
    }
  }
  return undefined;
}

function parseFields(html: string): Record<string, string> {
  const inputs = [...html.matchAll(/<input\b([^>]*)>/gi)]
    .map(([, text = ""]) => parseAttributes(text))
    .filter((input) => {
      const type = (input.get("type") ?? "text").toLowerCase();
      const unchecked = ["checkbox", "radio"].includes(type) && !input.has("checked");
      return input.has("name") && !input.has("disabled") && type !== "submit" && !unchecked;
    })
    .map((input) => [input.get("name") ?? "", input.get("value") ?? ""]);
  return Object.fromEntries(inputs) as Record<string, string>;
}

function parseButtons(html: string): Button[] {
  return [...html.matchAll(/<button\b([^>]*)>([^]*?)<\/button>/gi)].map(([, head = "", body = ""]) => {
    const attributes = parseAttributes(head);
    return {
      name: attributes.get("name") ?? "",
      value: attributes.get("value") ?? "",
      text: textOf(body),
    };
  });
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

const ENTITIES: Readonly<Record<string, string>> = {
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
      if (name !== undefined) {
        return ENTITIES[name.toLowerCase()] ?? all;
      }
      return String.fromCodePoint(hex === undefined ? Number(decimal) : Number.parseInt(hex, 16));
    },
  );
}
