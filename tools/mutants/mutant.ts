/** A control that is taken away on purpose, and the tests that must notice. Each area lists its own in a file beside this one. */
export interface Mutant {
  /** What the control guards, as a sentence: "a revoked key fails on the next request". */
  readonly control: string;
  /** The source file, from the root of the project. */
  readonly file: string;
  /** Text that stands in the file exactly once. */
  readonly from: string;
  /** What replaces it: code that still compiles, without the control. */
  readonly to: string;
  /** Test files of which at least one test must fail. */
  readonly tests: readonly string[];
  /** What must be reachable for those tests to run. */
  readonly needs?: readonly ('postgres' | 'redis' | 'chromium')[];
}
