import type { DayOfUsage, Outcomes, User } from '../../../domain/access/accounts/index.ts';
import { halved } from '../../../http/rate-limit-plan.ts';
import { type Html, html } from '../../../pages/html.ts';
import { stackedBars } from '../../../pages/plot/shapes.ts';
import { section } from '../pages/form-parts.ts';
import { dayText, empty, formatCount, numbers, table, timeText } from './parts.ts';

/* What an account may call, and what it called in the last days. */

/** How calls ended, in the order in which bars are stacked, with the colour of each. */
const OUTCOMES = [
  { name: 'succeeded', title: 'Succeeded', series: 2 },
  { name: 'refused', title: 'Refused', series: 3 },
  { name: 'failed', title: 'Failed', series: 4 },
] as const satisfies readonly {
  readonly name: keyof Outcomes;
  readonly title: string;
  readonly series: number;
}[];
const LIMITS = { per_minute: 'a minute', per_hour: 'an hour', per_day: 'a day', burst: 'at a time' };
/** px */
const HEIGHT = 220;
const TOP = 16;
const BOTTOM = 196;

const outcomesOf = ({ connect, grid }: DayOfUsage): readonly number[] =>
  OUTCOMES.map(({ name }) => connect[name] + grid[name]);
const sumOf = (counts: readonly number[]): number => counts.reduce((sum, count) => sum + count, 0);
const callsOf = (day: DayOfUsage): number => sumOf(outcomesOf(day));

interface AccountUsage {
  readonly user: User;
  /** The oldest day first. */
  readonly usage: readonly DayOfUsage[];
}

/** The calls of today and of each day, and the limits that hold now. */
export function usageSection({ user: { policy }, usage }: AccountUsage): Html {
  const today = usage.at(-1);
  const [, refused = 0] = today === undefined ? [] : outcomesOf(today);
  const used = today === undefined ? 0 : callsOf(today) - refused;
  const isHalved = policy.throttled_until !== null;
  // As the gate counts it.
  const now = (limit: keyof typeof LIMITS): string => formatCount(halved(policy[limit], isHalved ? 1 : 0));
  const day = halved(policy.per_day, isHalved ? 1 : 0);
  const body = html`
${policy.throttled_until === null ? null : html`<p class="notice notice-note">Calls kept coming over the limit, so the limits are halved until ${timeText(policy.throttled_until)}.</p>`}
<div class="today">
<p><strong class="today-count number">${formatCount(used)}</strong> <span class="soft">calls today of ${formatCount(day)} a day${refused === 0 ? '' : ` · ${formatCount(refused)} refused`}</span></p>
<progress class="limit-bar" max="${day}" value="${Math.min(used, day)}" aria-label="Calls today">${formatCount(used)}</progress>
</div>
<h3 id="limits">${isHalved ? 'Limits on calls now, halved' : 'Limits on calls'}</h3>
<dl class="limits" aria-labelledby="limits">
${(['per_minute', 'per_hour', 'per_day', 'burst'] as const).map((limit) => html`<div><dt class="soft">${LIMITS[limit]}</dt><dd class="number">${now(limit)}</dd></div>`)}
</dl>
${usage.some((one) => callsOf(one) > 0) ? picture(usage, policy.per_day) : empty('No calls in the last 30 days.', 'Calls show here within a second.')}`;
  return section({
    id: 'usage',
    title: 'Usage',
    text: 'Calls with the keys of the account, to both services. Days begin at midnight UTC.',
    body,
  });
}

/** A bar for each day, with how its calls ended on top of each other, and the limit where it is near. */
function picture(usage: readonly DayOfUsage[], limit: number): Html {
  const plot = stackedBars(usage.map(outcomesOf), { top: TOP, bottom: BOTTOM, limit });
  const total = sumOf(usage.map(callsOf));
  const most = usage.reduce((best, day) => (callsOf(day) > callsOf(best) ? day : best));
  const label = `Calls on each of the last 30 days, ${formatCount(total)} in all. Most on ${dayText(most.day)}: ${formatCount(callsOf(most))}.`;
  const bar = (day: DayOfUsage, index: number): Html | null => {
    const one = plot.bars[index];
    if (one === undefined) return null;
    return html`${one.parts.map(({ y, height }, at) => (height === 0 ? null : html`<rect class="${`plot-bars series-${OUTCOMES[at]?.series}`}" x="${one.x}" width="${plot.width}" y="${y.toFixed(1)}" height="${height.toFixed(1)}"/>`))}${one.label === undefined ? null : html`<text x="${one.label.x}" y="${HEIGHT - 4}" text-anchor="${one.label.anchor}">${dayText(day.day)}</text>`}`;
  };
  return html`<figure class="plot">
<ul class="legend small">${OUTCOMES.map(({ title, series }) => html`<li><span class="${`swatch swatch-block series-${series}`}"></span>${title}</li>`)}</ul>
<div class="days-plot"><svg height="${HEIGHT}" role="img" aria-label="${label}">
${plot.ticks.map(({ value, y }) => html`<g class="${value === 0 ? 'plot-zero' : 'plot-grid'}"><line x1="0" x2="100%" y1="${y.toFixed(1)}" y2="${y.toFixed(1)}"/><text x="-8" y="${y.toFixed(1)}" dy="4" text-anchor="end">${formatCount(value)}</text></g>`)}
${usage.map(bar)}
${plot.limit === undefined ? null : html`<line class="plot-limit" x1="0" x2="100%" y1="${plot.limit.toFixed(1)}" y2="${plot.limit.toFixed(1)}"/><text class="plot-limit-text" x="100%" y="${(plot.limit - 6).toFixed(1)}" text-anchor="end">limit ${formatCount(limit)}</text>`}
</svg></div>
<figcaption class="small soft">${plot.limit === undefined ? `The limit of ${formatCount(limit)} calls a day does not fit in the chart. ` : null}Refused: the request was wrong or over a limit. Calls over a limit do not count towards it. Failed: the fault was the service’s or a vendor’s.</figcaption>
</figure>
<details><summary>The figures</summary>${figures(usage)}</details>`;
}

const figures = (usage: readonly DayOfUsage[]): Html =>
  table({
    label: 'The figures',
    columns: ['Day', ...numbers(...OUTCOMES.map(({ title }) => title), 'Connect', 'Grid')],
    rows: usage
      .toReversed()
      .map((day) => [
        day.day,
        ...outcomesOf(day).map(formatCount),
        formatCount(sumOf(Object.values(day.connect))),
        formatCount(sumOf(Object.values(day.grid))),
      ]),
  });
