/** Stores that a request is about to have an effect; await it before the effect, and before any report of progress. */
export interface Begin {
  /** With the id of its command, where it is one. */
  (commandId?: string): Promise<void>;
  /** There was no effect after all, so the request may be sent again. Absent where nothing is stored. */
  takeBack?(): void;
}
