/** What platforms set where a function runs, in as many processes as it needs. Netlify's functions run on AWS Lambda. */
const serverlessMarks = ["AWS_LAMBDA_FUNCTION_NAME", "FUNCTIONS_WORKER_RUNTIME", "VERCEL_REGION"];

/**
 * The variable of the environment that says that this process is one instance of a serverless function. No option is read from there.
 *
 * Deno asks for a permission before it shows the environment, so it is not asked there.
 */
export function findServerlessMark(): string | undefined {
  if (process.versions["deno"] !== undefined) return undefined;
  return serverlessMarks.find((name) => process.env[name] !== undefined);
}
