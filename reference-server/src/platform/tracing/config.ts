/** How traces are sampled, as OTEL_TRACES_SAMPLER names it. */
export interface TraceSampling {
  readonly kind: "always_on" | "always_off" | "traceidratio";
  readonly parentBased: boolean;
  /** Of `traceidratio`: 0 to 1. */
  readonly ratio: number;
}

/** Where traces go. Headers, timeout, compression and resource attributes are read by the exporter itself. */
export interface TracingConfig {
  readonly url: string;
  readonly protocol: "http/protobuf" | "http/json";
  readonly sampling: TraceSampling;
}

type Read = <T>(
  name: string,
  variable: { expected: string; parse: (text: string) => T; fallback: T },
) => T | undefined;

/**
 * Reads the standard variables of OpenTelemetry. Returns `undefined` unless they ask for traces.
 *
 * @see {@link https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/ | the variables}
 */
export function readTracingConfig(read: Read): TracingConfig | undefined {
  const disabled = read("OTEL_SDK_DISABLED", {
    expected: '"true" or "false"',
    parse: (value) => value.toLowerCase() === "true",
    fallback: false,
  });
  const exporter = read<"otlp" | "none" | undefined>("OTEL_TRACES_EXPORTER", {
    expected: '"otlp" or "none"',
    parse: (value) => oneOf(value, ["otlp", "none"] as const),
    fallback: undefined,
  });
  const url = { expected: "a URL", parse: parseUrl, fallback: undefined };
  const own = read<string | undefined>("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", url);
  const base = read<string | undefined>("OTEL_EXPORTER_OTLP_ENDPOINT", url);
  const protocol =
    readProtocol(read, "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL") ??
    readProtocol(read, "OTEL_EXPORTER_OTLP_PROTOCOL");
  const sampling = readSampling(read);
  const wanted = exporter === "otlp" || (exporter === undefined && (own ?? base) !== undefined);
  if (disabled === true || !wanted) return undefined;
  return Object.freeze({
    url: own ?? `${(base ?? "http://localhost:4318").replace(/\/$/, "")}/v1/traces`,
    protocol: protocol ?? "http/protobuf",
    sampling,
  });
}

function readProtocol(read: Read, name: string): TracingConfig["protocol"] | undefined {
  return read<TracingConfig["protocol"] | undefined>(name, {
    expected: '"http/protobuf" or "http/json"',
    parse: (value) => oneOf(value, ["http/protobuf", "http/json"] as const),
    fallback: undefined,
  });
}

const samplers = [
  "always_on",
  "always_off",
  "traceidratio",
  "parentbased_always_on",
  "parentbased_always_off",
  "parentbased_traceidratio",
] as const;

function readSampling(read: Read): TraceSampling {
  const name = read<(typeof samplers)[number]>("OTEL_TRACES_SAMPLER", {
    expected: `one of ${samplers.join(", ")}`,
    parse: (value) => oneOf(value, samplers),
    fallback: "parentbased_always_on",
  });
  const ratio = read("OTEL_TRACES_SAMPLER_ARG", {
    expected: "a number from 0 to 1",
    parse: parseRatio,
    fallback: 1,
  });
  const plain = (name ?? "always_on").replace("parentbased_", "") as TraceSampling["kind"];
  return { kind: plain, parentBased: name?.startsWith("parentbased_") ?? true, ratio: ratio ?? 1 };
}

function parseRatio(text: string): number {
  const ratio = Number(text);
  if (!(ratio >= 0 && ratio <= 1)) throw new Error("not a number from 0 to 1");
  return ratio;
}

function parseUrl(text: string): string {
  if (!/^https?:\/\//.test(text) || !URL.canParse(text)) throw new Error("not an http(s) URL");
  return text;
}

function oneOf<T extends string>(text: string, known: readonly T[]): T {
  const found = known.find((candidate) => candidate === text);
  if (found === undefined) throw new Error("not supported");
  return found;
}
