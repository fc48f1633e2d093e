/** The one permission of the service that is called. */
export const serviceScope = "bench:read";

/** Of every answer. */
export const answerBytes = 1024;
