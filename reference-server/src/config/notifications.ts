import { isLoopbackHost } from "../platform/outbound/addresses.js";

/** Where mails are handed over. */
export interface MailServer {
  readonly host: string;
  readonly port: number;
  /** TLS from the first byte; otherwise the connection is upgraded. */
  readonly implicitTls: boolean;
  /** Without TLS, on this machine only. */
  readonly plain: boolean;
  /** `undefined`: without authentication. */
  readonly user: string | undefined;
  readonly password: string | undefined;
}

/** An address without a display name, and without anything that a header or a command could be made of. */
const mailAddress = /^[\w.!#$%&'*+/=?^`{|}~-]{1,64}@[a-z0-9](?:[a-z0-9.-]{0,252}[a-z0-9])?$/i;

/** Whether a mail can be sent to a text. */
export function isMailAddress(text: string): boolean {
  return mailAddress.test(text);
}

/** @throws Error The text is not a mail address. */
export function parseMailAddress(text: string): string {
  if (!isMailAddress(text)) throw new Error("not a mail address");
  return text;
}

/** @throws Error The text is not an address that webhooks may use. */
export function parseWebhookUrl(text: string, allowInsecureLoopback: boolean): string {
  const url = parseUrl(text);
  const insecure = url.protocol === "http:" && isLoopbackHost(url.hostname) && allowInsecureLoopback;
  if (url.protocol !== "https:" && !insecure) throw new Error("not an https: URL");
  if (url.username !== "" || url.password !== "") throw new Error("contains credentials");
  if (text.includes("#")) throw new Error("contains a fragment");
  return url.href;
}

/** The key of a secret as [Standard Webhooks](https://www.standardwebhooks.com) writes it. @throws Error The text is not one. */
export function parseWebhookSecret(text: string): Buffer {
  const encoded = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(text)?.[1];
  const key = Buffer.from(encoded ?? "", "base64");
  if (encoded === undefined || key.toString("base64") !== encoded)
    throw new Error("not whsec_ and standard base64");
  if (key.length < 24 || key.length > 64) throw new Error(`holds ${key.length} bytes instead of 24 to 64`);
  return key;
}

/** @throws Error The text is not a mail server, or one without TLS on another machine. */
export function parseMailServer(text: string, allowInsecureLoopback: boolean): MailServer {
  const url = parseUrl(text);
  if (url.protocol !== "smtp:" && url.protocol !== "smtps:") throw new Error("neither smtp: nor smtps:");
  if (url.hostname === "") throw new Error("names no host");
  if (/[?#]/.test(text) || !["", "/"].includes(url.pathname)) throw new Error("contains more than a server");
  const implicitTls = url.protocol === "smtps:";
  const host = url.hostname.replace(/^\[|\]$/g, "");
  return {
    host,
    port: url.port === "" ? (implicitTls ? 465 : 587) : Number(url.port),
    implicitTls,
    plain: !implicitTls && allowInsecureLoopback && isLoopbackHost(url.hostname),
    user: url.username === "" ? undefined : decodeURIComponent(url.username),
    password: url.password === "" ? undefined : decodeURIComponent(url.password),
  };
}

function parseUrl(text: string): URL {
  if (!URL.canParse(text)) throw new Error("not a URL");
  return new URL(text);
}
