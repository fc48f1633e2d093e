/**
 * Node's own modules, without `import`, which reads every export and so loads more modules, such as the WebSocket client
 * behind node:http. That would cost this small process 10 MiB.
 */
export const { createServer } = process.getBuiltinModule("node:http");
export const { Agent, request } = process.getBuiltinModule("node:https");
export const { readFileSync } = process.getBuiltinModule("node:fs");
export const { X509Certificate } = process.getBuiltinModule("node:crypto");
