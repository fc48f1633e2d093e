export { createProgress, type Progress, type ProgressStep } from "../packages/dev/progress.mjs";
