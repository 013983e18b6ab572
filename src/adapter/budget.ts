/** What a call to a vendor is for; each rule says what it costs. */
export const CALL_USES = ['login', 'list', 'read', 'command', 'wake'] as const;
export type CallUse = (typeof CALL_USES)[number];

/** What a limit can be of. */
export const LIMITED = ['app', 'address', 'link', 'site', 'device'] as const;

/** An amount in a unit that an operator thinks in. */
interface AmountSetting {
  /** `ELNAV_TESLA_MONTHLY_USD`. */
  readonly name: string;
  /** How much of the limit's unit one of the setting's stands for. */
  readonly times: number;
  readonly description: string;
}

/** A plan that the operator has at the vendor; it can be the setting of several limits. */
interface PlanSetting {
  /** `ELNAV_ENPHASE_PLAN`. */
  readonly name: string;
  /** The amount of the limit in each plan, by the word for the plan. The default is the plan that has the `amount` of the rule. */
  readonly plans: Readonly<Record<string, number>>;
  readonly description: string;
}

/** A limit that the vendor sets, kept below by `reserve`. */
export interface BudgetRule {
  /** Lower case, a–z and _: `data`, `commands`. */
  readonly name: string;
  /**
   * Who shares it: everybody who calls as our app, everybody who calls from our address, one vendor account, one site of it, or one device.
   * Of sites and devices calls are counted that say which one they are about.
   */
  readonly of: (typeof LIMITED)[number];
  /** How much a window holds. */
  readonly amount: number;
  /** A setting by which the operator changes the amount. */
  readonly setting?: AmountSetting | PlanSetting;
  /**
   * For a limit of the app: a link may use this many times what everybody together has left, and no more, so that no link can take what
   * the others need. Alone it may use m/(m+1) of the limit; of n links that want all, each gets m/(m·n+1), and the rest stays for those
   * who come (dynamic thresholds: Choudhury and Hahne, IEEE/ACM Transactions on Networking 6 (2), 1998).
   */
  readonly share?: number;
  readonly seconds: number;
  /** Of `errors`, a call takes only when the vendor responds to it with an error; it is not sent while none is left. */
  readonly unit: 'calls' | 'micro_usd' | 'errors';
  /** What a call takes of it; a use that is not named takes nothing. */
  readonly costs: { readonly [U in CallUse]?: number };
  /** Share of the window that background reading leaves to commands and to reads that somebody waits for, 0–1. */
  readonly reserve: number;
  /** Where the figure comes from, in a few words; shown in the documents. */
  readonly source: string;
}
