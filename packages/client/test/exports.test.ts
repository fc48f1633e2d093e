import { expect, it } from "vitest";
import * as client from "../src/index.js";

it("exports exactly these names", () => {
  expect(Object.keys(client).sort()).toEqual([
    "AuthzClientError",
    "createClient",
    "createMachineClient",
    "fileCache",
    "fileProblem",
    "fileStore",
    "isRepeatable",
    "isScope",
    "keyringStore",
    "makeFolder",
    "memoryCache",
    "memoryStore",
    "nodeTransport",
    "parseIssuer",
    "proxyConnections",
    "readPrivateFile",
    "reconnectReason",
    "writePrivateFile",
  ]);
});
