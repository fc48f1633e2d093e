import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import {
  readServices,
  type RegisteredService,
  withService,
  withServices,
  writeServices,
} from "../../src/system/service-list.js";
import { applyRegistryOnce } from "../../src/system/applied-registry.js";
import { companyWithoutServices } from "../../src/system/registry.js";

const contracts: RegisteredService = {
  key: "contracts",
  name: "Contracts",
  resource: "http://127.0.0.1:4000/api",
  authorizationServer: "http://127.0.0.1:4000",
  clientId: "authz-cli",
  scopes: ["contracts:read", "contracts:write"],
  skillDiscovery: false,
  allowsBearer: false,
  given: { scopes: ["contracts:read"], people: ["ada"] },
};
const other = { ...contracts, resource: "http://127.0.0.1:4001/api" };

describe("the registered services", () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "authz-services-"));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  test("are kept between starts", () => {
    expect(readServices(folder)).toEqual([]);
    writeServices(folder, [contracts]);
    expect(readServices(folder)).toEqual([contracts]);
  });

  test("that cannot be read are reported with the way out", () => {
    writeFileSync(join(folder, "services.json"), "{");
    expect(() => readServices(folder)).toThrow(/cannot be read\.\nRemove it/);
  });

  test("have keys of their own, and keep them when they change", () => {
    const both = withService([contracts], other);
    expect(both.map(({ key }) => key)).toEqual(["contracts", "contracts-2"]);
    const renamed = { ...other, key: "renamed", name: "Renamed", resource: "http://127.0.0.1:4001/v2" };
    expect(withService(both, renamed)).toEqual([contracts, { ...renamed, key: "contracts-2" }]);
  });

  test("gives people the listed scopes, beside those of all", () => {
    const { scopes, resources, assignments } = withServices(companyWithoutServices, [contracts]);
    expect(scopes).toEqual([
      { key: "contracts:read", description: "Read contracts" },
      { key: "contracts:write", description: "Write contracts" },
    ]);
    expect(resources).toEqual([
      expect.objectContaining({ key: "contracts", requestPrefixes: ["http://127.0.0.1:4000/api"] }),
    ]);
    expect(assignments).toEqual([
      { email: "ada@acme.example", scopes: ["authz:login", "authz:agents", "contracts:read"] },
      { email: "bruno@acme.example", scopes: ["authz:login", "authz:agents", "authz:administer"] },
      { email: "clara@acme.example", scopes: ["authz:login", "authz:agents"] },
    ]);
  });

  test("take nothing away that the system gives by itself, neither services nor permissions", () => {
    const base = {
      scopes: [{ key: "contracts:read", description: "Read the contracts" }],
      resources: [{ key: "contracts" }],
      assignments: [
        { email: "ada@acme.example", scopes: ["authz:login", "contracts:read"] },
        { email: "eve@acme.example", scopes: ["authz:login"] },
      ],
    };
    expect(withServices(base, [])).toBe(base);
    const given = { scopes: ["contracts:write"], people: ["bruno"] } as const;
    const [service] = withService([], { ...contracts, given }, ["contracts"]);
    expect(service).toMatchObject({ key: "contracts-2" });
    expect(withServices(base, service === undefined ? [] : [service])).toEqual({
      scopes: [
        { key: "contracts:read", description: "Read the contracts" },
        { key: "contracts:write", description: "Write contracts" },
      ],
      resources: [{ key: "contracts" }, expect.objectContaining({ key: "contracts-2" })],
      assignments: [
        { email: "ada@acme.example", scopes: ["authz:login", "contracts:read"] },
        { email: "bruno@acme.example", scopes: ["contracts:write"] },
        { email: "clara@acme.example", scopes: [] },
        { email: "eve@acme.example", scopes: ["authz:login"] },
      ],
    });
  });

  test("are applied when they are new, and again after an attempt that failed", async () => {
    const applied: string[] = [];
    const apply = (registry: string, fails = false) =>
      applyRegistryOnce({ stateDirectory: folder }, registry, async () => {
        applied.push(registry);
        if (fails) throw new Error("refused");
      });
    await apply("one");
    await apply("one");
    await apply("two");
    await expect(apply("three", true)).rejects.toThrow("refused");
    await apply("two");
    expect(applied).toEqual(["one", "two", "three", "two"]);
  });
});
