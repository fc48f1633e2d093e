import { createHmac } from "node:crypto";
import { OutboundError } from "../platform/outbound/outbound-error.js";
import type { OutboundFetch } from "../platform/outbound/outbound-fetch.js";
import { DeliveryError, type Send } from "./deliver.js";

export interface WebhookOptions {
  readonly url: string;
  readonly secret: Buffer;
  readonly outboundFetch: OutboundFetch;
  readonly now: () => Date;
}

const timeoutSeconds = 10;
/** The answer is not read. */
const maxBytes = 64 * 1024;

/**
 * Sends messages to a webhook, signed as [Standard Webhooks](https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md)
 * describes: `webhook-id` stays the same for all attempts, and `webhook-signature` covers it, the time of the attempt and the body.
 */
export function createSendWebhook({ url, secret, outboundFetch, now }: WebhookOptions): Send {
  return async ({ id, body }) => {
    const webhookId = `msg_${id}`;
    const timestamp = String(Math.floor(now().getTime() / 1000));
    const signature = createHmac("sha256", secret)
      .update(`${webhookId}.${timestamp}.${body}`)
      .digest("base64");
    const status = await post({
      "content-type": "application/json",
      "webhook-id": webhookId,
      "webhook-timestamp": timestamp,
      "webhook-signature": `v1,${signature}`,
    });
    // 410: the receiver is gone for good.
    if (status < 200 || status > 299) throw new DeliveryError(`status_${status}`, { final: status === 410 });

    async function post(headers: Readonly<Record<string, string>>): Promise<number> {
      try {
        return (await outboundFetch(url, { method: "POST", headers, body, timeoutSeconds, maxBytes })).status;
      } catch (error) {
        if (!(error instanceof OutboundError)) throw error;
        throw new DeliveryError(error.reason, { cause: error });
      }
    }
  };
}
