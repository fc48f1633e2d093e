import { afterEach, describe, expect, test } from "vitest";
import { type MailServer, parseMailServer } from "../../src/config/notifications.js";
import { createSendMail } from "../../src/notifications/send-mail.js";
import type { ClaimedNotification } from "../../src/store/notifications.js";
import { type MailReceiver, startMailReceiver } from "./receivers.js";

let post: MailReceiver | undefined;
afterEach(() => post?.close());

const message: ClaimedNotification = {
  id: "5e0c0b1c-7f0e-4c59-9f0c-1c1f3b1f1a00",
  type: "access.approved",
  channel: "mail",
  recipient: "ada@acme.example",
  subject: "Größe\r\nBcc: x@evil.example",
  body: "Grüße\n.\nend\n",
  attempts: 1,
  ageSeconds: 0,
};

async function send(options: Parameters<typeof startMailReceiver>[0], changes: Partial<MailServer> = {}) {
  post = await startMailReceiver(options);
  const server = { ...parseMailServer(post.url, true), ...changes };
  const installationName = () => Promise.resolve('Acme "Ltd"\r\nX-Evil: yes');
  const from = "authz@acme.example";
  await createSendMail({ server, from, installationName, host: "authz.acme.example" })(message);
  return post.mails;
}

describe("a mail", () => {
  test("is plain text, and what is in it stays where it belongs", async () => {
    const [mail] = await send({});
    expect(mail?.body).toBe("Grüße\n.\nend\n");
    expect(mail?.headers.get("subject")).toBe("Größe Bcc: x@evil.example");
    expect(mail?.headers.get("from")).toContain("X-Evil: yes");
    expect(mail?.headers.get("message-id")).toBe(`<${message.id}@authz.acme.example>`);
    expect([...(mail?.headers.keys() ?? [])]).not.toContain("x-evil");
    expect([...(mail?.headers.keys() ?? [])]).not.toContain("bcc");
  });

  test("is sent with the configured user and password", async () => {
    const seen: unknown[] = [];
    const signIn = {
      disabledCommands: ["STARTTLS"],
      allowInsecureAuth: true,
      onAuth: (
        { username, password }: { username?: string; password?: string },
        _session: unknown,
        done: (error: null, response: object) => void,
      ) => {
        seen.push([username, password]);
        done(null, { user: username });
      },
    };
    await send(signIn as never, { user: "authz", password: "p@ss" });
    expect(seen).toEqual([["authz", "p@ss"]]);
  });

  test("with a sign-in that is refused is tried again, and the password is nowhere", async () => {
    const refusing = {
      disabledCommands: ["STARTTLS"],
      allowInsecureAuth: true,
      onAuth: (_auth: unknown, _session: unknown, done: (error: Error) => void) =>
        done(Object.assign(new Error("wrong: p@ss"), { responseCode: 535 })),
    };
    const refused = await send(refusing as never, { user: "authz", password: "p@ss" }).catch(
      (error: unknown) => error,
    );
    expect(refused).toMatchObject({ name: "DeliveryError", reason: "smtp_535", final: false });
    expect(JSON.stringify(refused) + String(refused)).not.toContain("p@ss");
  });

  test("never goes over a connection without TLS, unless the server is on this machine", async () => {
    await expect(send({}, { plain: false })).rejects.toMatchObject({ name: "DeliveryError", final: false });
    expect(post?.mails).toEqual([]);
  });

  test("never goes to a server with an untrusted certificate", async () => {
    const refused = { name: "DeliveryError", reason: "tls_certificate", final: false };
    await expect(send({ disabledCommands: ["AUTH"] }, { plain: false })).rejects.toMatchObject(refused);
    await expect(send({ secure: true }, { plain: false, implicitTls: true })).rejects.toMatchObject(refused);
    expect(post?.mails).toEqual([]);
  });

  test.each<[string, Partial<MailServer>, string]>([
    ["there is no server", { port: 1 }, "connection_refused"],
    ["the host does not exist", { host: "mail.invalid" }, "dns_error"],
    ["the port speaks no TLS", { implicitTls: true }, "tls_protocol"],
  ])("is tried again when %s, and the reason says so", async (_what, changes, reason) => {
    await expect(send({}, changes)).rejects.toMatchObject({ name: "DeliveryError", reason, final: false });
  });
});
