import { describe, expect, test } from "vitest";
import { createClientAddress } from "../../../src/platform/http/client-address.js";

const trusting = createClientAddress(["10.0.0.0/8", "fd00::/8"]);

describe("without trusted proxies", () => {
  test("the connection decides, and the header is ignored", () => {
    const find = createClientAddress([]);
    expect(find({ remoteAddress: "10.1.1.1", forwardedFor: "203.0.113.9" })).toBe("10.1.1.1");
  });
});

describe("behind trusted proxies the client is", () => {
  test.each([
    {
      name: "the connection, when that is no proxy",
      remote: "203.0.113.5",
      header: "198.51.100.1",
      client: "203.0.113.5",
    },
    { name: "what the proxy appended", remote: "10.1.1.1", header: "203.0.113.9", client: "203.0.113.9" },
    {
      name: "the last address that is no proxy",
      remote: "10.1.1.1",
      header: "203.0.113.9, 10.2.2.2",
      client: "203.0.113.9",
    },
    {
      name: "not what the client invented before that",
      remote: "10.1.1.1",
      header: "198.51.100.1, 203.0.113.9",
      client: "203.0.113.9",
    },
    {
      name: "the proxy, when white space that HTTP does not know makes the address none",
      remote: "10.1.1.1",
      header: "203.0.113.9\u{A0}",
      client: "10.1.1.1",
    },
    { name: "the proxy, when it says nothing", remote: "10.1.1.1", header: undefined, client: "10.1.1.1" },
    { name: "the proxy, when it says nonsense", remote: "10.1.1.1", header: "unknown", client: "10.1.1.1" },
    { name: "found behind IPv6 proxies", remote: "fd00::1", header: "203.0.113.9", client: "203.0.113.9" },
    {
      name: "found in spite of a port",
      remote: "10.1.1.1",
      header: "203.0.113.9:4711",
      client: "203.0.113.9",
    },
    {
      name: "found in brackets",
      remote: "10.1.1.1",
      header: "[2001:db8::1]:4711",
      client: "2001:db8:0:0::/64",
    },
    {
      name: "a mapped IPv4 address as IPv4",
      remote: "::ffff:10.1.1.1",
      header: "::ffff:203.0.113.9",
      client: "203.0.113.9",
    },
  ])("$name", ({ remote, header, client }) => {
    expect(trusting({ remoteAddress: remote, forwardedFor: header })).toBe(client);
  });
});

describe("an IPv6 address counts by its first 64 bits", () => {
  test.each([
    { address: "2001:db8:1:2:3:4:5:6", network: "2001:db8:1:2::/64" },
    { address: "2001:DB8:1:2::", network: "2001:db8:1:2::/64" },
    { address: "2001:db8::7", network: "2001:db8:0:0::/64" },
    { address: "::1", network: "0:0:0:0::/64" },
    { address: "fe80::1%eth0", network: "fe80:0:0:0::/64" },
  ])("$address", ({ address, network }) => {
    expect(trusting({ remoteAddress: address, forwardedFor: undefined })).toBe(network);
  });
});

test("a connection that is gone has no address", () => {
  expect(trusting({ remoteAddress: undefined, forwardedFor: "203.0.113.9" })).toBe("unknown");
});
