/** SQL: whether an assignment has not expired, by the clock of the database. Expired ones count nowhere. */
export const liveSql = (name: string) => `(${name}.expires_at IS NULL OR ${name}.expires_at > now())`;
