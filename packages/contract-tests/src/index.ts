export {
  type AdapterTraits,
  type ContractApp,
  listen,
  type RunningApp,
  type StartAdapter,
} from "./adapter/contract-app.js";
export { describeAdapter } from "./adapter/describe-adapter.js";
export { describeHttp2 } from "./adapter/describe-http2.js";
