/** Notes, durably, that a request begins to have an effect; awaited before the effect, and before anything says that it is under way. */
export interface Begin {
  (): Promise<void>;
  /** There was no effect after all: the request may be sent again. Absent where nobody keeps a note. */
  takeBack?(): void;
}
