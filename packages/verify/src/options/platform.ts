/** Set by platforms that run a function in any number of processes. Netlify's functions run on AWS Lambda. */
const serverlessMarks = ["AWS_LAMBDA_FUNCTION_NAME", "FUNCTIONS_WORKER_RUNTIME", "VERCEL_REGION"];

/**
 * The environment variable that marks this process as one instance of a serverless function. No option is read from there.
 *
 * Not looked up on Deno, which asks for a permission before it shows the environment.
 */
export function findServerlessMark(): string | undefined {
  if (process.versions["deno"] !== undefined) return undefined;
  return serverlessMarks.find((name) => process.env[name] !== undefined);
}
