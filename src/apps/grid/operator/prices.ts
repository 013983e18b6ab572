import type { Clock } from '../../../core/clock.ts';
import { dayAt } from '../../../core/swedish-days.ts';
import { Temporal } from '../../../core/temporal.ts';
import type { Accounts } from '../../../domain/access/accounts/index.ts';
import type { Prices } from '../../../domain/market/prices/index.ts';
import type { Form } from '../../../http/forms.ts';
import { html } from '../../../pages/html.ts';
import { PRICE_AREAS } from '../../../sources/contract/market.ts';
import { beginBackfill, cancelBackfill } from '../market/backfill-changes.ts';
import { BACKFILL_PATH, type BackfillForm, backfillSections, dealtWith } from './backfills.ts';
import type { Shown } from './frame.ts';
import { formatCount } from './parts.ts';
import { PRICES_WORDS as words } from './prices-words.ts';
import { type Asked, noticeIn, type OperatorScope } from './scope.ts';
import { sectionPath } from './sections.ts';
import { daysOf, monthOf, storedDays } from './stored-days.ts';

interface PricesPages {
  readonly prices: Pick<Prices, 'storedDays' | 'storedMonths' | 'backfill' | 'health'>;
  readonly accounts: Pick<Accounts, 'noteChange'>;
  readonly clock: Clock;
}

const HOME = sectionPath('prices');

/** What prices are stored, and back-fills of what is missing. */
export function addOperatorPrices(pages: OperatorScope, deps: PricesPages): void {
  const { prices, clock } = deps;

  async function shown(asked: Asked, form: BackfillForm): Promise<Shown> {
    const { canChange } = asked;
    const today = dayAt(clock.now());
    const month = monthOf(asked.query('month'), today);
    const { first, last } = daysOf(month);
    const [days, months, backfills] = await Promise.all([
      prices.storedDays(first, last),
      prices.storedMonths(today),
      prices.backfill.list(),
    ]);
    const { is_on: isOn } = prices.health();
    return {
      title: words.title,
      body: html`${storedDays({ month, today, days, months })}
${backfillSections({ canChange, isOn, backfills, form })}`,
      styles: ['health'],
      scripts: ['operator-live'],
    };
  }

  pages.addPage({
    path: HOME,
    section: 'prices',
    async show(asked) {
      const notice = noticeIn(words.done, asked.query('done'));
      return { ...(await shown(asked, EMPTY)), notice };
    },
  });

  pages.addChange({
    path: BACKFILL_PATH,
    section: 'prices',
    async plan(asked) {
      if (!asked.isSent) return { refused: { ...(await shown(asked, EMPTY)), status: 200 } };
      const form = formIn(asked.form);
      const { from, to: until, areas, refresh } = form;
      const request = { from, until, areas, refresh };
      const fault = prices.backfill.faultIn(request);
      if (fault !== null) return { refused: await shown(asked, { ...form, fault }) };
      const count = Temporal.PlainDate.from(from).until(until).days + 1;
      return {
        title: words.beginTitle,
        sentence: words.beginSentence(
          words.days(count, formatCount(count)),
          from,
          until,
          areas.join(', '),
          refresh,
        ),
        button: words.begin,
        back: HOME,
        async carryOut(actor) {
          await beginBackfill(deps, request, actor);
          return { to: HOME, done: 'begun' };
        },
      };
    },
  });

  pages.addChange({
    path: `${BACKFILL_PATH}/:id/cancel`,
    section: 'prices',
    async plan(asked) {
      const one = await prices.backfill.get(asked.param('id'));
      const left = one.days_total - dealtWith(one);
      return {
        title: words.cancelTitle,
        sentence: words.cancelSentence(one.from, one.until, words.days(left, formatCount(left))),
        button: words.cancel,
        back: HOME,
        async carryOut(actor) {
          const { isCancelled } = await cancelBackfill(deps, one.id, actor);
          return { to: HOME, done: isCancelled ? 'cancelled' : 'over' };
        },
      };
    },
  });
}

const EMPTY: BackfillForm = { from: '', to: '', areas: PRICE_AREAS, refresh: false };

function formIn(form: Form): BackfillForm {
  const areas = form.all('area');
  return {
    from: form.text('from').trim(),
    to: form.text('to').trim(),
    areas: PRICE_AREAS.filter((area) => areas.includes(area)),
    refresh: form.text('refresh') === 'yes',
  };
}
