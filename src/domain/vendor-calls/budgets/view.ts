import type { BudgetRule, CallUse } from '../../../adapter/budget.ts';
import type { LinkKey } from '../../../adapter/session.ts';
import { rfc3339 } from '../../../core/clock.ts';
import { linkName } from '../../../db/rows.ts';
import type { Blocks } from './blocks.ts';
import type { Spending } from './costs.ts';
import type { Block } from './store.ts';
import type { Counted, Tallies } from './tallies.ts';
import { trusted, turn, usedNow } from './window.ts';

/** A limit as `GET /vendors/{vendor}/budget` shows it. */
export interface BudgetView {
  readonly name: string;
  readonly of: BudgetRule['of'];
  /** The link, for a limit that is its own. */
  readonly link: string | null;
  /** The site of the link, for a limit that is its own. */
  readonly site: string | null;
  /** What a call of each use takes; 0 is not counted. Some calls take something else. */
  readonly costs: Readonly<Record<CallUse, number>>;
  readonly unit: BudgetRule['unit'];
  readonly amount: number;
  readonly window_seconds: number;
  readonly used: number;
  readonly remaining: number;
  /** Kept for commands and for reads that somebody waits for. */
  readonly reserved: number;
  /** The end of the window that is counted in. */
  readonly resets_at: string;
  readonly source: string;
}

/** A link whose limits are shown, with the sites that it has. */
export interface ViewedLink extends LinkKey {
  readonly sites?: readonly string[];
}

/** Whose use of a limit is shown; none for what is counted of all together, or of each device. */
interface Whose {
  readonly link?: ViewedLink;
  readonly site?: string;
}

/** Every limit of a vendor that concerns these links, with what is left of it; blocks come last. */
export async function viewOf(
  adapter: Spending['adapter'],
  links: readonly ViewedLink[],
  { tallies, blocks, now }: { readonly tallies: Tallies; readonly blocks: Blocks; readonly now: number },
): Promise<BudgetView[]> {
  const views = (adapter.budgets ?? []).flatMap((rule) =>
    viewed(rule, links).map((whose) => limitView(tallies, { vendor: adapter.slug, rule, ...whose }, now)),
  );
  const blocked = await blocks.of(adapter.slug, links);
  return [...(await Promise.all(views)), ...blocked.map((block) => blockView(adapter, block, now))];
}

function viewed({ of, share }: BudgetRule, links: readonly ViewedLink[]): readonly Whose[] {
  const each = links.map((link) => ({ link }));
  if (of === 'site') return links.flatMap((link) => (link.sites ?? []).map((site) => ({ link, site })));
  if (of === 'link') return each;
  return share === undefined ? [{}] : [{}, ...each];
}

async function limitView(
  tallies: Tallies,
  { vendor, rule, link, site }: Whose & Pick<Counted, 'vendor' | 'rule'>,
  now: number,
): Promise<BudgetView> {
  // What one device has used says little of the others; the limit itself is told.
  const subject =
    rule.of === 'device'
      ? ''
      : link === undefined
        ? 'app'
        : [linkName(link), site].flatMap((part) => part ?? []).join('/');
  const { tally } = await tallies.of(vendor, rule, subject);
  turn(tally, rule, now);
  const used = Math.ceil(usedNow(tally, rule, now));
  const isShare = rule.of === 'app' && link !== undefined;
  const left = Math.max(0, Math.floor(trusted(rule)) - used);
  return {
    name: rule.name,
    of: isShare ? 'link' : rule.of,
    link: link?.link ?? null,
    site: site ?? null,
    costs: costsByUse(rule),
    unit: rule.unit,
    amount: rule.amount,
    window_seconds: rule.seconds,
    used,
    remaining: isShare ? await tallies.shareLeft(vendor, rule, used) : left,
    reserved: Math.floor(trusted(rule) * rule.reserve),
    resets_at: rfc3339(tally.start + rule.seconds * 1000),
    source: rule.source,
  };
}

const costsByUse = ({ costs }: Pick<BudgetRule, 'costs'>): Record<CallUse, number> => {
  const { login = 0, list = 0, read = 0, command = 0, wake = 0 } = costs;
  return { login, list, read, command, wake };
};

/** A block is a limit of which nothing is left. */
function blockView({ name, budgets = [] }: Spending['adapter'], block: Block, now: number): BudgetView {
  const [, link] = block.subject.split('/');
  const shared = budgets.some(({ of }) => of === 'address') ? 'address' : 'app';
  return {
    name: 'block',
    of: link === undefined ? shared : 'link',
    link: link ?? null,
    site: null,
    costs: costsByUse({ costs: {} }),
    unit: 'calls',
    amount: 0,
    window_seconds: Math.ceil((block.until - now) / 1000),
    used: 0,
    remaining: 0,
    reserved: 0,
    resets_at: rfc3339(block.until),
    source: `${name} refuses calls to its host "${block.host}" until then`,
  };
}
