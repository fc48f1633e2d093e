/** The specification's section "Versioning, Images", one test per sentence. */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { imageNames, imageTags, parseReleaseTag } from "../../src/image-tags/image-tags.js";

const commit = "0123456789abcdef0123456789abcdef01234567";
const read = (path: string) =>
  readFileSync(fileURLToPath(new URL(`../../../${path}`, import.meta.url)), "utf8");

/** A registry with one repository for each image, and the releases published so far. */
function createRegistry() {
  const repositories = new Map<string, Map<string, string>>(imageNames.map((name) => [name, new Map()]));
  const tagsOf = (image: string) => repositories.get(image) ?? new Map<string, string>();
  return {
    tagsOf,
    publish: (release: string, from: string = commit) => {
      const { image, version } = parseReleaseTag(release);
      const tags = tagsOf(image);
      for (const tag of imageTags({ version, commit: from, existingTags: [...tags.keys()] })) {
        tags.set(tag, release);
      }
    },
  };
}

describe("Images", () => {
  it("Two independent images, each with its own version: the server image authz-server and the proxy image authz-discovery-proxy", () => {
    expect(imageNames).toEqual(["authz-server", "authz-discovery-proxy"]);
    const config = JSON.parse(read(".changeset/config.json")) as Record<string, unknown>;
    expect(config).toMatchObject({ privatePackages: { version: true, tag: true } });
    // Neither "fixed" nor "linked": nothing ties their versions together.
    expect(Object.keys(config)).not.toContain("fixed");
    expect(Object.keys(config)).not.toContain("linked");
    for (const [image, folder] of [
      ["authz-server", "reference-server"],
      ["authz-discovery-proxy", "proxy"],
    ] as const) {
      expect((JSON.parse(read(`${folder}/package.json`)) as { name: string }).name).toBe(image);
    }
  });

  it("A release of one never changes the other", () => {
    const { publish, tagsOf } = createRegistry();
    publish("authz-discovery-proxy@0.3.0");
    const before = [...tagsOf("authz-discovery-proxy")];
    for (const release of ["authz-server@0.3.0", "authz-server@1.0.0", "authz-server@1.0.1"])
      publish(release);
    expect([...tagsOf("authz-discovery-proxy")]).toEqual(before);
  });
});

describe("Tags", () => {
  it("X.Y.Z points to exactly that release; never moved", () => {
    const { publish, tagsOf } = createRegistry();
    publish("authz-server@1.2.3");
    publish("authz-server@1.2.4");
    expect(tagsOf("authz-server").get("1.2.3")).toBe("authz-server@1.2.3");
    expect(() => publish("authz-server@1.2.3")).toThrow("1.2.3 is published already");
  });

  it("X.Y points to the newest patch release of the line", () => {
    const { publish, tagsOf } = createRegistry();
    for (const version of ["1.2.3", "1.3.0", "1.2.4", "2.0.0"]) publish(`authz-server@${version}`);
    expect(tagsOf("authz-server").get("1.2")).toBe("authz-server@1.2.4");
    expect(tagsOf("authz-server").get("1.3")).toBe("authz-server@1.3.0");
  });

  it("X points to the newest release of the major version", () => {
    const { publish, tagsOf } = createRegistry();
    for (const version of ["1.2.3", "1.3.0", "2.0.0", "1.2.4"]) publish(`authz-server@${version}`);
    expect(tagsOf("authz-server").get("1")).toBe("authz-server@1.3.0");
    expect(tagsOf("authz-server").get("2")).toBe("authz-server@2.0.0");
  });

  it("latest points to the newest release overall", () => {
    const { publish, tagsOf } = createRegistry();
    for (const version of ["1.9.0", "1.10.0", "1.9.1"]) publish(`authz-server@${version}`);
    expect(tagsOf("authz-server").get("latest")).toBe("authz-server@1.10.0");
  });

  it("<commit_sha> points to the image built from that commit; moves only when a failed release is published again", () => {
    const { publish, tagsOf } = createRegistry();
    publish("authz-server@1.0.0");
    expect(tagsOf("authz-server").get(commit)).toBe("authz-server@1.0.0");
    // Published again although it did not fail.
    expect(() => publish("authz-server@1.0.0")).toThrow("never moved");
    // A release that failed has left its commit at most.
    const failed = "f".repeat(40);
    tagsOf("authz-server").set(failed, "an image of the failed attempt");
    publish("authz-server@1.0.1", failed);
    expect(tagsOf("authz-server").get(failed)).toBe("authz-server@1.0.1");
  });
});

describe("Rules", () => {
  it("Production pins a full X.Y.Z tag", () => {
    const { properties, definitions } = JSON.parse(read("deploy/helm/authz/values.schema.json")) as {
      properties: { server: { properties: { image: { $ref: string } } } };
      definitions: { image: { properties: { tag: { pattern: string } } } };
    };
    expect(properties.server.properties.image.$ref).toBe("#/definitions/image");
    const allowed = new RegExp(definitions.image.properties.tag.pattern);
    expect(["1.2.3", commit].filter((tag) => !allowed.test(tag))).toEqual([]);
    expect(["1", "1.2", "latest", "main"].filter((tag) => allowed.test(tag))).toEqual([]);
    const { services } = parse(read("compose.yaml")) as { services: Record<string, { image: string }> };
    const images = Object.values(services).map(({ image }) => image);
    expect(images.filter((image) => image.endsWith(":latest"))).toEqual([]);
  });

  it("Moving tags can start a newer version on a plain restart and run its migrations", () => {
    const { publish, tagsOf } = createRegistry();
    publish("authz-server@1.2.3");
    const started = () => ["1.2.3", "1.2", "1", "latest"].map((tag) => tagsOf("authz-server").get(tag));
    expect(new Set(started())).toEqual(new Set(["authz-server@1.2.3"]));
    publish("authz-server@1.2.4");
    // The same four tags after a restart: only the full version still starts what it started before.
    expect(started()).toEqual(["authz-server@1.2.3", ...Array<string>(3).fill("authz-server@1.2.4")]);
  });

  it("Before version 1.0, tag X is no safer than latest: a minor release may contain breaking changes", () => {
    const { publish, tagsOf } = createRegistry();
    for (const version of ["0.4.0", "0.5.0"]) publish(`authz-server@${version}`);
    expect(tagsOf("authz-server").get("0")).toBe(tagsOf("authz-server").get("latest"));
  });

  it("Only tags published in the image registry can be run", () => {
    const { publish, tagsOf } = createRegistry();
    publish("authz-server@1.2.3");
    // 1.2.4 is in the release notes, but its image was never published. Nothing points to it, also not after the next release.
    publish("authz-server@1.1.9");
    const tags = tagsOf("authz-server");
    expect(tags.get("1.2.4")).toBeUndefined();
    for (const tag of ["1.2", "1", "latest"]) expect(tags.get(tag)).toBe("authz-server@1.2.3");
  });

  it("Not every release listed in the release notes has an image", () => {
    expect(() => parseReleaseTag("@authz/express@1.2.3")).toThrow("is not the release of an image");
  });

  it("Release tags in the notes take the form <package>@X.Y.Z for the server and the proxy", () => {
    expect(parseReleaseTag("authz-server@1.2.3").image).toBe("authz-server");
    expect(parseReleaseTag("authz-discovery-proxy@1.2.3").image).toBe("authz-discovery-proxy");
    for (const tag of ["v1.2.3", "1.2.3", "authz-server-v1.2.3"]) {
      expect(() => parseReleaseTag(tag)).toThrow("is not the release of an image");
    }
  });
});
