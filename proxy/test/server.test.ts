import { once } from "node:events";
import { connect } from "node:net";
import { describe, expect, it } from "vitest";
import { startProxy } from "./support/proxy.js";
import { keySetPath, startUpstream } from "./support/upstream.js";

describe("close", () => {
  it("cuts what is still running when the grace time is over", async () => {
    const upstream = await startUpstream(() => undefined);
    const proxy = await startProxy(upstream);
    const answering = proxy.get(keySetPath).then(
      () => "answered",
      () => "cut",
    );
    const halfSent = connect(proxy.port, "127.0.0.1");
    halfSent.on("error", () => undefined);
    await once(halfSent, "connect");
    halfSent.write("GET /api/oauth/jwks HTT");
    await upstream.untilSeen(1);
    await proxy.close(10);
    expect(await answering).toBe("cut");
    await upstream.close();
  });
});

describe("log", () => {
  it("has one line per question to the upstream and none per caller", async () => {
    const upstream = await startUpstream();
    const proxy = await startProxy(upstream);
    for (const path of [keySetPath, keySetPath, "/other", `${keySetPath}?a`]) await proxy.get(path);
    expect(proxy.log).toEqual([
      { level: 30, time: 0, path: keySetPath, status: 200, ms: 0, msg: "The upstream answered." },
    ]);
    await proxy.close();
    await upstream.close();
  });
});
