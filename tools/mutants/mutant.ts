/** A control that is removed on purpose, and the tests that must fail. Each area has a file with its mutants in this folder. */
export interface Mutant {
  /** The control as a sentence: "a revoked key fails on the next request". */
  readonly control: string;
  /** The source file, from the root of the project. */
  readonly file: string;
  /** Text that occurs in the file exactly once. */
  readonly from: string;
  /** The replacement: code that compiles, without the control. */
  readonly to: string;
  /** Test files of which at least one test must fail. */
  readonly tests: readonly string[];
  /** Services that those tests need. */
  readonly needs?: readonly ('postgres' | 'redis' | 'chromium')[];
}
