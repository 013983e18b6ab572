import { AppError } from '../../../core/errors.ts';
import type { Accounts } from '../../../domain/accounts/index.ts';
import { html } from '../../../pages/html.ts';
import { time } from '../account/parts.ts';
import { OVERSIGHT_WORDS } from '../operator/oversight-words.ts';
import { empty, PAGE_ROWS, pageOf, pager, table } from '../operator/parts.ts';
import { noticeIn, type OperatorScope } from '../operator/scope.ts';
import { sectionPath } from '../operator/sections.ts';

const HOME = sectionPath('bans');

/** Banned addresses, and lifting their bans. */
export function addOperatorBans(pages: OperatorScope, { bans }: Pick<Accounts, 'bans'>): void {
  pages.addPage({
    path: HOME,
    section: 'bans',
    async show({ language, canChange, query }) {
      const words = OVERSIGHT_WORDS[language].bans;
      const page = pageOf(query('page'));
      const all = await bans.list();
      const rows = all.slice((page - 1) * PAGE_ROWS, page * PAGE_ROWS);
      const list = table({
        label: words.title,
        columns: [words.address, words.reason, words.since, words.until, words.lift],
        rows: rows.map((ban) => [
          html`<code>${ban.ip}</code>`,
          ban.reason,
          time(ban.created_at, language),
          time(ban.expires_at, language),
          canChange
            ? html`<a class="button button-small" href="${`${HOME}/${ban.id}/lift`}">${words.lift}<span class="hidden-visually"> ${ban.ip}</span></a>`
            : '–',
        ]),
      });
      const body = html`<p class="soft">${words.lead}</p>
${rows.length === 0 ? empty(words.none, words.noneText) : list}
${pager({ language, path: HOME, query: {}, page, hasNext: all.length > page * PAGE_ROWS })}`;
      return { title: words.title, body, notice: noticeIn(words.done, query('done')) };
    },
  });

  pages.addChange({
    path: `${HOME}/:id/lift`,
    section: 'bans',
    async plan({ language, param }) {
      const words = OVERSIGHT_WORDS[language].bans;
      const ban = (await bans.list()).find(({ id }) => String(id) === param('id'));
      if (ban === undefined) throw new AppError('ban.not_found', 'there is no active ban with this id');
      return {
        title: words.liftTitle,
        sentence: words.liftSentence(ban.ip),
        button: words.lift,
        back: HOME,
        async carryOut(actor) {
          await bans.lift(ban.id, actor);
          return { to: HOME, done: 'lifted' };
        },
      };
    },
  });
}
