import { plural } from '../plural.ts';

export const usage = {
  title: 'Usage',
  text: 'Calls to both services. Days begin at midnight UTC.',
  left: 'What is left now',
  leftText: 'All keys share these limits. The console has limits of its own, and uses nothing of them.',
  limits: { burst: 'At once', minute: 'This minute', hour: 'This hour', day: 'Today' },
  leftOf: (left: string, calls: string) => `${left} of ${calls}`,
  moreIn: (time: string) => `more in ${time}`,
  whole: 'nothing is used',
  seconds: (count: string) => plural(count, 'second', 'seconds'),
  halved: (until: string) =>
    `Calls kept coming over the limits, so they are halved until ${until}. Wait as long as the header Retry-After says, and they return to normal by themselves.`,
  tier: (tier: string) => `Plan: ${tier}.`,
  tiers: { free: 'Free', pro: 'Pro' } as Readonly<Record<string, string>>,
  calls: 'Calls',
  span: 'Days',
  spans: { 7: '7 days', 30: '30 days', 90: '90 days' },
  outcomes: { succeeded: 'Succeeded', refused: 'Refused', failed: 'Failed' },
  outcomesText:
    'Refused: the request was wrong or over a limit. Failed: the fault was ours or a vendor’s. Calls over a limit do not count towards it.',
  plot: (total: string, most: string, day: string) =>
    `Calls by day, ${total} in all. Most on ${day}: ${most}.`,
  figures: 'The figures by day',
  day: 'Day',
  connect: 'Connect',
  grid: 'Grid',
  routes: 'By route',
  route: 'Route',
  keys: 'By key',
  key: 'Key',
  console: 'The console',
  unknownKey: 'Former key',
  empty: 'No calls in these days',
  emptyText: 'Make one with one of your keys. It shows here within seconds.',
};
