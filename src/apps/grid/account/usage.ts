import type { Language } from '../../../core/language.ts';
import type { DayOfUsage, Outcomes } from '../../../domain/accounts/index.ts';
import { halved } from '../../../http/rate-limit-plan.ts';
import { type Html, html } from '../../../pages/html.ts';
import { dayText, formatCount, section, timeText } from './parts.ts';
import { callsOf, drawUsage, isLimitInSight, NARROW, OUTCOMES, outcomeOf, WIDE } from './usage-plot.ts';
import type { AccountView } from './view.ts';
import { ACCOUNT_WORDS, type AccountWords } from './words.ts';

const LIMITS = ['per_minute', 'per_hour', 'per_day', 'burst'] as const;

/** What the account may call, and what it called; in the words for its owner unless others are given. */
export async function usageSection(
  { language, user, usage }: Pick<AccountView, 'language' | 'user' | 'usage'>,
  words: AccountWords = ACCOUNT_WORDS[language],
): Promise<Html> {
  const { policy } = user;
  const today = usage.at(-1);
  const refused = today === undefined ? 0 : outcomeOf(today, 'refused');
  const used = today === undefined ? 0 : callsOf(today) - refused;
  const isHalved = policy.throttled_until !== null;
  // What holds now, as the gate counts it.
  const now = (limit: (typeof LIMITS)[number]): number => halved(policy[limit], isHalved ? 1 : 0);
  const count = (value: number) => formatCount(value, language);
  const body = html`
${
  policy.throttled_until === null
    ? null
    : html`<p class="notice notice-note">${words.throttled(timeText(policy.throttled_until, language))}</p>`
}
<div class="today">
<p><strong class="today-count number">${count(used)}</strong> <span class="soft">${words.today.toLocaleLowerCase(language)} ${words.ofLimit(count(now('per_day')))}${refused === 0 ? '' : ` · ${words.refusedToday(count(refused))}`}</span></p>
<progress class="limit-bar" max="${now('per_day')}" value="${Math.min(used, now('per_day'))}" aria-label="${words.today}">${count(used)}</progress>
</div>
<h3 id="limits">${isHalved ? words.limitsHalved : words.limitsLabel}</h3>
<dl class="limits" aria-labelledby="limits">
${LIMITS.map((limit) => html`<div><dt class="soft">${words.limits[limit]}</dt><dd class="number">${count(now(limit))}</dd></div>`)}
</dl>
${usage.some((day) => callsOf(day) > 0) ? await picture(usage, { words, language, limit: policy.per_day }) : nothing(words)}`;
  return section({ id: 'usage', title: words.usage, text: words.usageText, body });
}

const nothing = ({ noUsage, noUsageText }: AccountWords): Html =>
  html`<div class="empty"><p><strong>${noUsage}</strong></p><p class="soft">${noUsageText}</p></div>`;

interface Shown {
  readonly words: AccountWords;
  readonly language: Language;
  readonly limit: number;
}

async function picture(usage: readonly DayOfUsage[], { words, language, limit }: Shown): Promise<Html> {
  const count = (value: number) => formatCount(value, language);
  const total = usage.reduce((sum, day) => sum + callsOf(day), 0);
  const most = usage.reduce((best, day) => (callsOf(day) > callsOf(best) ? day : best));
  const label = words.plot(count(total), count(callsOf(most)), dayText(most.day, language));
  const limitText = words.limitLine(count(limit));
  const draw = (size: typeof WIDE) => drawUsage(usage, { language, label, limit, limitText, size });
  return html`<figure class="plot">
<ul class="legend small">${OUTCOMES.map(({ name, series }) => html`<li><span class="${`swatch swatch-block series-${series}`}"></span>${words.outcomes[name]}</li>`)}</ul>
<div class="plot-narrow">${await draw(NARROW)}</div>
<div class="plot-wide">${await draw(WIDE)}</div>
<figcaption class="small soft">${isLimitInSight(usage, limit) ? null : html`${words.limitAbove(count(limit))} `}${words.outcomesText}</figcaption>
</figure>
<details><summary>${words.figures}</summary>${table(usage, { words, language, limit })}</details>`;
}

function table(usage: readonly DayOfUsage[], { words, language }: Shown): Html {
  const count = (value: number) => formatCount(value, language);
  const sum = ({ succeeded, refused, failed }: Outcomes) => succeeded + refused + failed;
  return html`<div class="table-scroll" tabindex="0" role="region" aria-label="${words.figures}"><table>
<thead><tr><th scope="col">${words.day}</th>${OUTCOMES.map(({ name }) => html`<th scope="col" class="number">${words.outcomes[name]}</th>`)}<th scope="col" class="number">Connect</th><th scope="col" class="number">Grid</th></tr></thead>
<tbody>${usage
    .toReversed()
    .map(
      (day) =>
        html`<tr><th scope="row" class="number day">${day.day}</th>${OUTCOMES.map(({ name }) => html`<td class="number">${count(outcomeOf(day, name))}</td>`)}<td class="number">${count(sum(day.connect))}</td><td class="number">${count(sum(day.grid))}</td></tr>`,
    )}</tbody>
</table></div>`;
}
