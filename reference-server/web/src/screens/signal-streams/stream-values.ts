import type { NewSignalStream, SignalStream, SignalStreamPatch } from "@admin/signal-streams";

/** A stream as a form has it; the token is what somebody typed, never what is stored. */
export interface StreamValues {
  readonly key: string;
  readonly name: string;
  readonly provider: string;
  readonly transmitter: string;
  readonly delivery: SignalStream["delivery"];
  readonly streamId: string;
  readonly audience: string;
  readonly token: string;
  readonly opaqueSubjects: SignalStream["opaqueSubjects"];
  readonly maxAgeSeconds: number;
  readonly enabled: boolean;
}

const usualMaxAgeSeconds = 7 * 24 * 3600;

export const emptyStream: StreamValues = {
  key: "",
  name: "",
  provider: "",
  transmitter: "",
  delivery: "push",
  streamId: "",
  audience: "",
  token: "",
  opaqueSubjects: "ignored",
  maxAgeSeconds: usualMaxAgeSeconds,
  enabled: true,
};

export function toStreamValues(stream: SignalStream): StreamValues {
  const { key, name, provider, transmitter, delivery, streamId, audience } = stream;
  const { opaqueSubjects, maxAgeSeconds, enabled } = stream;
  return {
    key,
    name,
    provider,
    transmitter,
    delivery,
    streamId,
    audience,
    token: "",
    opaqueSubjects,
    maxAgeSeconds,
    enabled,
  };
}

export function toNewStream(values: StreamValues): NewSignalStream {
  const { key, name, provider, delivery, opaqueSubjects, maxAgeSeconds, token } = values;
  return {
    key,
    name,
    provider,
    transmitter: values.transmitter.trim(),
    delivery,
    streamId: values.streamId.trim() === "" ? null : values.streamId.trim(),
    audience: values.audience.trim() === "" ? null : values.audience.trim(),
    opaqueSubjects,
    maxAgeSeconds,
    ...(token !== "" && { token }),
  };
}

/** An empty token is left out: the stored one stays. */
export function toStreamPatch({
  name,
  opaqueSubjects,
  maxAgeSeconds,
  enabled,
  token,
}: StreamValues): SignalStreamPatch {
  return { name, opaqueSubjects, maxAgeSeconds, enabled, ...(token !== "" && { token }) };
}
