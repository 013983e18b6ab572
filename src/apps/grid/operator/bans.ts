import { AppError } from '../../../core/errors.ts';
import type { Accounts } from '../../../domain/access/accounts/index.ts';
import { html } from '../../../pages/html.ts';
import { empty, PAGE_ROWS, pageOf, pager, table, time } from './parts.ts';
import { noticeIn, type OperatorScope } from './scope.ts';
import { sectionPath } from './sections.ts';

const WORDS = {
  title: 'Bans',
  lead: 'Ten wrong keys or admin tokens within ten minutes ban an IP address, an hour the first time. Valid keys, sessions and the admin token are accepted from it nevertheless.',
  address: 'IP address',
  reason: 'Reason',
  since: 'Since',
  until: 'Until',
  lift: 'Lift',
  liftTitle: 'Lift a ban',
  liftSentence: (ip: string) =>
    `Lift the ban of ${ip}? Requests from it are accepted at once, on every instance, and the ban does not count towards the length of the next one.`,
  none: 'No address is banned.',
  noneText: 'Addresses show here while their ban lasts.',
  done: { lifted: 'The ban is lifted.' },
};

const HOME = sectionPath('bans');

/** Banned addresses, and lifting their bans. */
export function addOperatorBans(pages: OperatorScope, { bans }: Pick<Accounts, 'bans'>): void {
  pages.addPage({
    path: HOME,
    section: 'bans',
    async show({ canChange, query }) {
      const page = pageOf(query('page'));
      const all = await bans.list();
      const rows = all.slice((page - 1) * PAGE_ROWS, page * PAGE_ROWS);
      const list = table({
        label: WORDS.title,
        columns: [WORDS.address, WORDS.reason, WORDS.since, WORDS.until, WORDS.lift],
        rows: rows.map((ban) => [
          html`<code>${ban.ip}</code>`,
          ban.reason,
          time(ban.created_at),
          time(ban.expires_at),
          canChange
            ? html`<a class="button button-small" href="${`${HOME}/${ban.id}/lift`}">${WORDS.lift}<span class="hidden-visually"> ${ban.ip}</span></a>`
            : '–',
        ]),
      });
      const body = html`<p class="soft">${WORDS.lead}</p>
${rows.length === 0 ? empty(WORDS.none, WORDS.noneText) : list}
${pager({ path: HOME, query: {}, page, hasNext: all.length > page * PAGE_ROWS })}`;
      return { title: WORDS.title, body, notice: noticeIn(WORDS.done, query('done')) };
    },
  });

  pages.addChange({
    path: `${HOME}/:id/lift`,
    section: 'bans',
    async plan({ param }) {
      const ban = (await bans.list()).find(({ id }) => String(id) === param('id'));
      if (ban === undefined) throw new AppError('ban.not_found', 'there is no active ban with this id');
      return {
        title: WORDS.liftTitle,
        sentence: WORDS.liftSentence(ban.ip),
        button: WORDS.lift,
        back: HOME,
        async carryOut(actor) {
          await bans.lift(ban.id, actor);
          return { to: HOME, done: 'lifted' };
        },
      };
    },
  });
}
