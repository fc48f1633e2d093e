/** Where the administration API lives. */
export const adminPrefix = "/api/admin/v1";
