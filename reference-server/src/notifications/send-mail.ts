import type { Transporter } from "nodemailer";
import type { MailServer } from "../config/notifications.js";
import { streamFailureOf } from "../platform/outbound/stream-failure.js";
import { shortText } from "../text/short-text.js";
import { DeliveryError, type Send } from "./deliver.js";

export interface MailOptions {
  readonly server: MailServer;
  /** The address of the sender. */
  readonly from: string;
  /** The sender's name. */
  readonly installationName: () => Promise<string>;
  /** The host of the issuer, for ids of messages. */
  readonly host: string;
}

/** In characters. */
const mostOfHeader = 250;
const stepMilliseconds = 10_000;
/** Less than a claim lasts. */
const longestMilliseconds = 30_000;

/** Sends messages as plain text. An id that stays the same for all attempts lets mail servers see what they have already. */
export function createSendMail({ server, from, installationName, host }: MailOptions): Send {
  return async ({ id, recipient, subject, body }) => {
    const transport = await connect(server);
    const name = shortText(await installationName(), mostOfHeader) ?? "";
    const sending = transport.sendMail({
      from: { name, address: from },
      to: { name: "", address: recipient ?? "" },
      subject: shortText(subject ?? "", mostOfHeader) ?? "",
      text: body,
      messageId: `<${id}@${host}>`,
      headers: { "Auto-Submitted": "auto-generated" },
      disableFileAccess: true,
      disableUrlAccess: true,
    });
    try {
      await withinTime(sending);
    } catch (error) {
      throw toDeliveryError(error);
    } finally {
      transport.close();
    }
  };
}

/** Loaded with the first mail: many installations send none. */
async function connect({ host, port, implicitTls, plain, user, password }: MailServer): Promise<Transporter> {
  const { createTransport } = await import("nodemailer");
  return createTransport({
    host,
    port,
    secure: implicitTls,
    requireTLS: !implicitTls && !plain,
    ...(user !== undefined && { auth: { user, pass: password ?? "" } }),
    connectionTimeout: stepMilliseconds,
    greetingTimeout: stepMilliseconds,
    socketTimeout: stepMilliseconds,
  });
}

/** Limits the whole delivery; the limits of its steps restart with each line of the server. */
async function withinTime(sending: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new DeliveryError("timeout")), longestMilliseconds);
  });
  try {
    await Promise.race([sending, deadline]);
  } finally {
    clearTimeout(timer);
    sending.catch(() => undefined);
  }
}

/** Leaves out the mail server's text, which may repeat a password. */
function toDeliveryError(error: unknown): DeliveryError {
  if (error instanceof DeliveryError) return error;
  const { code, originalCode, responseCode, command } = error as Readonly<Record<string, unknown>>;
  if (typeof responseCode === "number") {
    // A refused address or message stays refused; other faults can be fixed.
    const isAboutMessage = command === "RCPT TO" || command === "DATA";
    return new DeliveryError(`smtp_${responseCode}`, { final: isAboutMessage && responseCode >= 500 });
  }
  // The library reports a closed port, a certificate and the wrong kind of TLS all as "ESOCKET".
  if (typeof originalCode === "string") return new DeliveryError(streamFailureOf({ code: originalCode }));
  if (code === "ETIMEDOUT") return new DeliveryError("timeout");
  return new DeliveryError(typeof code === "string" ? code.toLowerCase() : "unknown");
}
