import { createStore } from '../store.ts';

export interface Begun {
  readonly session: string;
  readonly url: string;
  readonly userRef: string;
}

/** The link session that was begun last in this tab: other pages may be looked at meanwhile. */
export const begun = createStore<Begun | undefined>(undefined);
