export { findRunning, type RunningRecord } from "@authz/dev/parts";
