import type { Clock } from "@authz/dpop";
import type { Logger } from "pino";
import { createLoop, logFailures, type Loop } from "../platform/jobs/loop.js";
import type { OutboundFetch } from "../platform/outbound/outbound-fetch.js";
import type { OpenStore } from "../store/store.js";
import { addressEvents } from "./address.js";
import { type Channels, deliverDue, type NotificationConfig } from "./deliver.js";
import { createSendMail } from "./send-mail.js";
import { createSendWebhook } from "./send-webhook.js";

export interface NotificationOptions {
  readonly store: OpenStore;
  readonly config: NotificationConfig;
  readonly outboundFetch: OutboundFetch;
  readonly clock: Clock;
  readonly log: Pick<Logger, "warn">;
}

const everySeconds = 5;

/** Sends notifications while the server runs. */
export interface Notifications extends Loop {
  /** One round: every event gets its messages, and what is due is sent. */
  readonly run: (signal?: AbortSignal) => Promise<void>;
}

/** Creates the loop that sends notifications. Without a channel it discards their events. */
export function createNotifications(options: NotificationOptions): Notifications {
  const { store, config, clock, log } = options;
  const channels = openChannels(options);
  const now = () => new Date(clock());
  const run = async (signal?: AbortSignal) => {
    try {
      await addressEvents({ store, config, now });
    } finally {
      // A failure to address events must not hold back due messages.
      await deliverDue({ store, channels, clock, log }, signal);
    }
  };
  const loop = createLoop({
    everySeconds,
    work: run,
    onError: logFailures(log, {
      code: "NOTIFICATIONS_NOT_SENT",
      message: "Notifications could not be prepared or sent; trying again. Nothing is lost.",
    }),
  });
  return { ...loop, run };
}

function openChannels({ store, config, outboundFetch, clock }: NotificationOptions): Channels {
  const {
    notifyWebhookUrl: url,
    notifyWebhookSecret: secret,
    notifyMailServer: server,
    notifyFrom: from,
  } = config;
  return {
    webhook:
      url === undefined || secret === undefined
        ? undefined
        : createSendWebhook({ url, secret, outboundFetch, now: () => new Date(clock()) }),
    mail:
      server === undefined || from === undefined
        ? undefined
        : createSendMail({
            server,
            from,
            installationName: async () => (await store.settings.get()).installationName,
            host: new URL(config.issuer).hostname,
          }),
  };
}
