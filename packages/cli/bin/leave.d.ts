export function leaveSoon(): void;
