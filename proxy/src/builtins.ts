/**
 * Node's own modules, without `import`: that reads every export of a module, and some of those load much more, such as
 * the WebSocket client behind node:http. Together it would cost this small process 10 MiB.
 */
export const { createServer } = process.getBuiltinModule("node:http");
export const { Agent, request } = process.getBuiltinModule("node:https");
export const { readFileSync } = process.getBuiltinModule("node:fs");
export const { X509Certificate } = process.getBuiltinModule("node:crypto");
