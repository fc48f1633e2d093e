import { describe, expect, test } from "vitest";
import { ConfigError, loadConfig } from "../../../src/config/config.js";
import { testEnvironment } from "../../support/environment.js";

const tracing = (environment: Record<string, string>) => loadConfig(testEnvironment(environment)).tracing;

describe("nothing is traced", () => {
  test.each<{ name: string; environment: Record<string, string> }>([
    { name: "without any of the variables", environment: {} },
    { name: "with a service name alone", environment: { OTEL_SERVICE_NAME: "authz" } },
    {
      name: "when the exporter is none",
      environment: { OTEL_TRACES_EXPORTER: "none", OTEL_EXPORTER_OTLP_ENDPOINT: "http://collector:4318" },
    },
    {
      name: "when the SDK is disabled",
      environment: { OTEL_SDK_DISABLED: "true", OTEL_EXPORTER_OTLP_ENDPOINT: "http://collector:4318" },
    },
  ])("$name", ({ environment }) => {
    expect(tracing(environment)).toBeUndefined();
  });
});

describe("traces go to", () => {
  test.each<{ name: string; environment: Record<string, string>; url: string }>([
    {
      name: "the local collector by default",
      environment: { OTEL_TRACES_EXPORTER: "otlp" },
      url: "http://localhost:4318/v1/traces",
    },
    {
      name: "the path below the common endpoint",
      environment: { OTEL_EXPORTER_OTLP_ENDPOINT: "https://collector.example/otlp/" },
      url: "https://collector.example/otlp/v1/traces",
    },
    {
      name: "the endpoint for traces as it is",
      environment: {
        OTEL_EXPORTER_OTLP_ENDPOINT: "https://collector.example",
        OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "https://traces.example/here",
      },
      url: "https://traces.example/here",
    },
  ])("$name", ({ environment, url }) => {
    expect(tracing(environment)).toEqual({
      url,
      protocol: "http/protobuf",
      sampling: { kind: "always_on", parentBased: true, ratio: 1 },
    });
  });
});

test("protocol and sampling follow the variables", () => {
  const environment = {
    OTEL_TRACES_EXPORTER: "otlp",
    OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
    OTEL_TRACES_SAMPLER: "traceidratio",
    OTEL_TRACES_SAMPLER_ARG: "0.25",
  };
  expect(tracing(environment)).toMatchObject({
    protocol: "http/json",
    sampling: { kind: "traceidratio", parentBased: false, ratio: 0.25 },
  });
});

test.each([
  { variable: "OTEL_TRACES_EXPORTER", value: "zipkin" },
  { variable: "OTEL_EXPORTER_OTLP_ENDPOINT", value: "collector:4317" },
  { variable: "OTEL_EXPORTER_OTLP_PROTOCOL", value: "grpc" },
  { variable: "OTEL_TRACES_SAMPLER", value: "jaeger_remote" },
  { variable: "OTEL_TRACES_SAMPLER_ARG", value: "2" },
])("$variable=$value stops the start", ({ variable, value }) => {
  expect(() => tracing({ [variable]: value })).toThrow(ConfigError);
  expect(() => tracing({ [variable]: value })).toThrow(`${variable}: `);
});
