import type { Account } from '../api/shapes.ts';
import { count, duration, moment } from '../format.ts';
import { words } from '../words/index.ts';

const texts = words.usage;
type Limit = Account['limits'][number];

/** What is left of each limit, in words and as a bar. */
export function Limits({ account }: { readonly account: Account }) {
  const { limits, throttled_until: until, tier } = account;
  return (
    <section class="stack-small" aria-labelledby="left">
      <h2 id="left">{texts.left}</h2>
      {until === null ? null : <p class="notice notice-note">{texts.halved(moment(until))}</p>}
      <dl class="tiles">
        {limits.map((limit) => (
          <div key={limit.name} class="tile">
            <dt id={`limit-${limit.name}`}>{texts.limits[limit.name]}</dt>
            <dd>
              {texts.leftOf(count(limit.left), count(limit.calls))}
              <progress
                class="limit-bar"
                max={limit.calls}
                value={limit.left}
                aria-labelledby={`limit-${limit.name}`}
              />
              <span class="small soft limit-more">{moreOf(limit)}</span>
            </dd>
          </div>
        ))}
      </dl>
      <p class="hint">
        {texts.tier(texts.tiers[tier] ?? tier)} {texts.leftText}
      </p>
    </section>
  );
}

const MINUTE_SECONDS = 60;

function moreOf({ calls, left, seconds }: Limit): string {
  if (left >= calls) return texts.whole;
  return texts.moreIn(seconds < MINUTE_SECONDS ? texts.seconds(count(seconds)) : duration(seconds));
}
