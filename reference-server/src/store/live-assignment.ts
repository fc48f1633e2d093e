/** Whether the assignment of this name is not over, by the clock of the database. What is over counts nowhere. */
export const liveSql = (name: string) => `(${name}.expires_at IS NULL OR ${name}.expires_at > now())`;
