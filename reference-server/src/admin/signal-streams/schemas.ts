import { z } from "zod";
import { changeOf, type RuleOptions, shownMembers } from "../../objects/object.js";
import { signalStreamRules, signalStreamShape } from "../../objects/signal-stream.js";
import { streamHealths } from "../../signals/stream-health.js";
import { listQuery } from "../door/list-query.js";
import { timestamp, versionMembers } from "../door/show.js";

export const signalStreamParamsSchema = signalStreamShape.pick({ key: true });

/** `GET /signal-streams` */
export const signalStreamQuerySchema = listQuery({ sorts: ["name", "key"], filters: {} });

export const signalStreamSchema = z
  .strictObject({
    ...shownMembers(signalStreamShape.omit({ token: true, streamId: true, audience: true })),
    streamId: z.string().describe("What the transmitter calls it"),
    audience: z.string().describe("The aud of the events"),
    hasToken: z.boolean(),
    pushUrl: z.string().nullable().describe("Where the transmitter pushes events; null: it is polled"),
    hasCredential: z.boolean().describe("Whether the transmitter has been given something to present"),
    health: z
      .enum(streamHealths)
      .describe(
        "waiting: nothing has come yet; silent: nothing for two days, or for thirty without a token; paused: here, or at the transmitter",
      ),
    failure: z.string().nullable().describe("Why it is failing, as a code"),
    failingSince: timestamp.nullable(),
    transmitterStatus: z.enum(["enabled", "paused", "disabled"]).describe("What the transmitter said last"),
    lastReceivedAt: timestamp.nullable(),
    lastLagSeconds: z.number().nullable().describe("From the last event to its receipt"),
    lastRefusedAt: timestamp.nullable(),
    lastRefusal: z.string().nullable().describe("Why, as a code"),
    verificationRequestedAt: timestamp.nullable(),
    verifiedAt: timestamp.nullable().describe("When a requested verification event last came"),
    counts: z
      .strictObject({
        acted: z.int().describe("Something has ended, was paused or was checked because of it"),
        withoutEffect: z.int(),
        unknownSubject: z.int().describe("About accounts that nobody here has"),
        unknownEvent: z.int(),
        stale: z.int().describe("Too old to be acted upon"),
        repeated: z.int(),
        refused: z.int(),
      })
      .describe("Events since the stream was added"),
    ...versionMembers,
  })
  .meta({ id: "SignalStream" });
export type SignalStream = z.infer<typeof signalStreamSchema>;

const createExample = {
  key: "acme",
  name: "Acme signals",
  provider: "acme",
  transmitter: "https://idp.acme.example",
  delivery: "poll",
  token: "(the transmitter's token)",
};
/** Of a transmitter that has no API for its streams. */
const adoptExample = {
  key: "acme",
  name: "Acme signals",
  provider: "acme",
  transmitter: "https://idp.acme.example",
  delivery: "push",
  streamId: "f67e39a0a4d34d56b3aa1bc4cff0069f",
  audience: "https://authz.acme.example",
};

/** The bodies, by the rules of this installation. */
export function createSignalStreamInputs(options: Pick<RuleOptions, "allowInsecureLoopback">) {
  const rules = signalStreamRules(options);
  return {
    create: rules.meta({ examples: [createExample, adoptExample] }),
    patch: changeOf(
      rules.extend({ token: rules.shape.token.unwrap() }),
      "key",
      "provider",
      "transmitter",
      "delivery",
      "streamId",
      "audience",
    ),
  };
}

type Inputs = ReturnType<typeof createSignalStreamInputs>;
export type NewSignalStream = z.input<Inputs["create"]>;
export type SignalStreamPatch = z.input<Inputs["patch"]>;

/** `POST /signal-streams/{key}/credentials` */
export const streamCredentialSchema = z
  .strictObject({
    pushUrl: z.string().describe("The endpoint_url to enter at the transmitter"),
    authorizationHeader: z.string().describe("The authorization_header to enter there. Shown once"),
    atTransmitter: z.boolean().describe("The transmitter has taken both already"),
  })
  .meta({
    id: "SignalStreamCredential",
    examples: [
      {
        pushUrl: "https://authz.acme.example/signals/acme",
        authorizationHeader: "Bearer (shown once)",
        atTransmitter: false,
      },
    ],
  });
export type StreamCredential = z.infer<typeof streamCredentialSchema>;

/** `POST /signal-streams/{key}/tests` */
export const streamTestSchema = z
  .strictObject({ requestedAt: timestamp.describe("The event has come once verifiedAt is not before this") })
  .meta({ id: "SignalStreamTest", examples: [{ requestedAt: "2026-11-20T12:00:00.000Z" }] });
export type StreamTest = z.infer<typeof streamTestSchema>;
