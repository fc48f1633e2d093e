/** Epoch milliseconds, like `Date.now`. */
export type Clock = () => number;
