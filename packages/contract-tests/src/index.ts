export type { AdapterTraits, ContractApp, RunningApp, StartAdapter } from "./adapter/contract-app.js";
export { describeAdapter } from "./adapter/describe-adapter.js";
export { describeHttp2 } from "./adapter/describe-http2.js";
