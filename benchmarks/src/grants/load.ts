import type { Es256KeyPair } from "@authz/dpop";

/** What is measured. */
export const workloads = ["refresh", "code", "exchange"] as const;
export type Workload = (typeof workloads)[number];

/** One installation of a client: a key, and the secrets it will show. */
interface Device {
  readonly clientId: string;
  readonly keyPair: Es256KeyPair;
  /** For `refresh` and `exchange` the refresh token that is valid now, for `code` one code per request. */
  readonly secrets: readonly string[];
}

export interface LoadRequest {
  readonly kind: "load";
  readonly workload: Workload;
  /** The devices are spread over these. */
  readonly ports: readonly number[];
  /** What proofs name. */
  readonly tokenUrl: string;
  readonly parameters: Readonly<Record<string, string>>;
  readonly devices: readonly Device[];
  readonly count: number;
}

export interface LoadResult {
  readonly seconds: number;
  readonly medianMilliseconds: number;
  readonly p99Milliseconds: number;
  /** The refresh token of each device after its last request. */
  readonly refreshTokens: readonly string[];
}

/** The form parameter that carries the secret of each workload. */
export const secretParameter: Readonly<Record<Workload, string>> = {
  refresh: "refresh_token",
  code: "code",
  exchange: "subject_token",
};

/** The code verifier of every code that is redeemed here. */
export const codeVerifier = "benchmark-verifier-of-at-least-43-characters";
export const redirectUri = "http://127.0.0.1/callback";
/** A company: what everybody shares is not the same row for all. */
export const peopleCount = 500;
export const clientIds: readonly string[] = [
  "authz-cli",
  ...Array.from({ length: 19 }, (_, index) => `app-${index + 1}`),
];

/** The client of a device. */
export function clientOf(device: number): string {
  return clientIds[device % clientIds.length] ?? "";
}

/** Who signed in: a device has one person for its grant, and another one for each code. */
export function personOf(
  device: number,
  { request = 0, devices }: { readonly request?: number; readonly devices: number },
): number {
  return (device + request * devices) % peopleCount;
}

export function emailOf(person: number): string {
  return `person-${person}@acme.example`;
}
export const scope = "openid profile email offline_access";
