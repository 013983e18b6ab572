/** What a call to a vendor is for; each rule says what it costs. */
export const CALL_USES = ['login', 'list', 'read', 'command', 'wake'] as const;
export type CallUse = (typeof CALL_USES)[number];

/** A limit that the vendor sets, kept below by `reserve`. */
export interface BudgetRule {
  /** Lower case, a–z and _: `data`, `commands`. */
  readonly name: string;
  /** Who shares it: everybody who calls as our app, one vendor account, or one device. */
  readonly of: 'app' | 'link' | 'device';
  /** How much a window holds. */
  readonly amount: number;
  readonly seconds: number;
  readonly unit: 'calls' | 'micro_usd';
  /** What a call takes of it; a use that is not named takes nothing. */
  readonly costs: { readonly [U in CallUse]?: number };
  /** Share of the window that background reading leaves to commands and to reads that somebody waits for, 0–1. */
  readonly reserve: number;
  /** Where the figure comes from, in a few words; shown in the documents. */
  readonly source: string;
}
