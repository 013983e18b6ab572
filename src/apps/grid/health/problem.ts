/** What is known of each kind of problem; the limits are those of the alerts. */
export interface ProblemFacts {
  database_away: { readonly message: string };
  service_gone: { readonly service: string; readonly instance: string; readonly at: number };
  log_stuck: { readonly seconds: number };
  prices_missing: { readonly areas: string };
  part_unread: { readonly part: string; readonly reason: string };
  instance_gone: { readonly instance: string; readonly at: number };
  check_fails: { readonly check: string; readonly message: string; readonly instance: string };
  prices_off: { readonly areas: string };
  prices_late: { readonly areas: string };
  source_fails: { readonly source: string; readonly sentence: string; readonly times: number };
  production_old: { readonly areas: string };
  vendor_blocked: { readonly vendor: string; readonly until: number };
  vendor_unreachable: { readonly vendor: string; readonly unreachable: number; readonly links: number };
  vendor_refuses: { readonly vendor: string; readonly links: number };
  vendor_paused: { readonly vendor: string; readonly instance: string };
  limit_nearly_used: { readonly vendor: string; readonly limit: string; readonly used: number };
  reads_late: { readonly vendor: string; readonly late: number };
  deliveries_wait: { readonly vendor: string; readonly count: number };
  reader_late: { readonly reader: string; readonly seconds: number };
  subscriptions_late: { readonly seconds: number };
  instance_behind: { readonly instance: string; readonly seconds: number };
  event_loop_slow: { readonly instance: string; readonly ms: number };
  memory_high: { readonly instance: string; readonly bytes: number };
  versions_differ: { readonly versions: string };
}
export type ProblemCode = keyof ProblemFacts;

/** Something that is wrong: the kind, how bad it is, and what is known of it. */
export type Problem = {
  [C in ProblemCode]: {
    readonly code: C;
    /** `critical`: act now. `warning`: look at it today. As in the guide of the alerts. */
    readonly severity: 'critical' | 'warning';
    readonly facts: ProblemFacts[C];
  };
}[ProblemCode];

const ALERTS = 'docs/guides/alerts.md';
const HEALTH = 'docs/guides/health.md';

/** The section of a guide that says what to do. */
export const GUIDES = {
  database_away: `${ALERTS}#elnavdatabaseaway`,
  service_gone: `${ALERTS}#elnavdown`,
  log_stuck: `${ALERTS}#elnaveventlogstuck`,
  prices_missing: `${ALERTS}#elnavpricesmissing`,
  part_unread: `${HEALTH}#a-part-cannot-be-read`,
  instance_gone: `${ALERTS}#elnavdown`,
  check_fails: `${ALERTS}#elnavcheckfails`,
  prices_off: `${HEALTH}#fetching-is-switched-off`,
  prices_late: `${ALERTS}#elnavpriceslate`,
  source_fails: `${ALERTS}#elnavsourcefails`,
  production_old: `${ALERTS}#elnavproductionold`,
  vendor_blocked: `${ALERTS}#elnavvendorblocks`,
  vendor_unreachable: `${ALERTS}#elnavvendorfails`,
  vendor_refuses: `${HEALTH}#a-vendor-refuses-what-it-has-issued`,
  vendor_paused: `${ALERTS}#elnavvendorfails`,
  limit_nearly_used: `${ALERTS}#elnavvendorlimitnearlyused`,
  reads_late: `${ALERTS}#elnavpollslate`,
  deliveries_wait: `${ALERTS}#elnavwebhookswait`,
  reader_late: `${ALERTS}#elnavprojectionlate`,
  subscriptions_late: `${ALERTS}#elnavsubscriptionslate`,
  instance_behind: `${HEALTH}#an-instance-is-behind-the-event-log`,
  event_loop_slow: `${ALERTS}#elnaveventloopslow`,
  memory_high: `${ALERTS}#elnavmemoryhigh`,
  versions_differ: `${HEALTH}#instances-have-different-versions`,
} satisfies Record<ProblemCode, string>;

/** From the worst on. */
export const PROBLEM_CODES = Object.keys(GUIDES) as readonly ProblemCode[];
