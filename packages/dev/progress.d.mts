/** One thing that takes time. End it exactly once. */
export interface ProgressStep {
  /** What is being worked on right now, shown behind the time. Terminals only. */
  update(text: string): void;
  done(note?: string): void;
  fail(note?: string): void;
}

export interface Progress {
  /** Starts a step. The one before it has ended. */
  step(title: string): ProgressStep;
}

/** Tells what is going on while it takes time: one live line per step on a terminal, plain lines elsewhere. */
export declare function createProgress(stream?: NodeJS.WriteStream): Progress;
