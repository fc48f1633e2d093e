export { createProgress, type Progress, type ProgressStep } from "@authz/dev/parts";
