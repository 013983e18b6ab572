import type { Accounts, PartnerApplication } from '../../../domain/accounts/index.ts';
import { type Html, html } from '../../../pages/html.ts';
import { keyCard } from '../account/new-key.ts';
import { time } from '../account/parts.ts';
import { accountPath } from '../operator/account.ts';
import { inSentence } from '../operator/foreign-text.ts';
import { OVERSIGHT_WORDS } from '../operator/oversight-words.ts';
import { empty, filter, pageOf, pager, partOf, shownOf, table } from '../operator/parts.ts';
import { type Asked, noticeIn, type OperatorScope } from '../operator/scope.ts';
import { sectionPath } from '../operator/sections.ts';

const HOME = sectionPath('partners');
const STATUSES = ['received', 'approved', 'rejected'] as const;

/** Applications for access, to approve or reject. */
export function addOperatorPartners(pages: OperatorScope, { partners }: Pick<Accounts, 'partners'>): void {
  pages.addPage({
    path: HOME,
    section: 'partners',
    async show(asked) {
      const words = OVERSIGHT_WORDS[asked.language].partners;
      const status = STATUSES.find((one) => one === asked.query('status'));
      const page = pageOf(asked.query('page'));
      const { rows, hasNext } = shownOf(await partners.search({ status, ...partOf(page) }));
      const query = { status: status ?? '' };
      const body = html`${filter({
        path: HOME,
        submit: OVERSIGHT_WORDS[asked.language].search,
        fields: [
          {
            name: 'status',
            label: words.status,
            value: status ?? '',
            choices: [
              ['', OVERSIGHT_WORDS[asked.language].all],
              ...STATUSES.map((one) => [one, words.statuses[one] ?? one] as const),
            ],
          },
        ],
      })}
${rows.length === 0 ? empty(words.none, words.noneText) : list(asked, rows)}
${pager({ language: asked.language, path: HOME, query, page, hasNext })}`;
      return { title: words.title, body, notice: noticeIn(words.done, asked.query('done')) };
    },
  });

  pages.addChange({
    path: `${HOME}/:id/approve`,
    section: 'partners',
    async plan(asked) {
      const { language } = asked;
      const words = OVERSIGHT_WORDS[language].partners;
      const { id, company, email } = await partners.one(asked.param('id'));
      return {
        title: words.approve,
        sentence: words.approveSentence(inSentence(company), email),
        button: words.approve,
        back: HOME,
        async carryOut(actor) {
          const { key, user_id } = await partners.approve(id, actor);
          const back = user_id === null ? HOME : accountPath(user_id);
          return {
            page: { title: words.approved, body: keyCard({ language, key, back }), scripts: ['account'] },
          };
        },
      };
    },
  });

  pages.addChange({
    path: `${HOME}/:id/reject`,
    section: 'partners',
    async plan(asked) {
      const words = OVERSIGHT_WORDS[asked.language].partners;
      const { id, company, email } = await partners.one(asked.param('id'));
      return {
        title: words.reject,
        sentence: words.rejectSentence(inSentence(company), email),
        button: words.reject,
        isDangerous: true,
        back: HOME,
        async carryOut(actor) {
          await partners.reject(id, actor);
          return { to: HOME, done: 'rejected' };
        },
      };
    },
  });
}

function list({ language, canChange }: Asked, applications: readonly PartnerApplication[]): Html {
  const words = OVERSIGHT_WORDS[language].partners;
  const decide = ({ id, company, status, user_id }: PartnerApplication): Html => {
    if (user_id !== null) return html`<a href="${accountPath(user_id)}">${words.account(user_id)}</a>`;
    if (status !== 'received' || !canChange) return html`–`;
    const link = (change: 'approve' | 'reject') =>
      html`<a class="button button-small" href="${`${HOME}/${id}/${change}`}">${words[change]}<span class="hidden-visually"> ${company}</span></a>`;
    return html`<span class="row">${link('approve')} ${link('reject')}</span>`;
  };
  return table({
    label: words.title,
    columns: [
      words.company,
      words.contact,
      words.useCase,
      words.vendors,
      words.received,
      words.status,
      words.decide,
    ],
    rows: applications.map((one) => [
      html`${one.company}${one.website === null ? null : html`<br><span class="small soft">${one.website}</span>`}`,
      html`${one.contact_name}${one.contact_name === null ? null : html`<br>`}${one.email}`,
      one.use_case,
      one.vendors.join(', '),
      time(one.created_at, language),
      html`${words.statuses[one.status] ?? one.status}${one.decided_at === null ? null : html`<br><span class="small soft">${time(one.decided_at, language)}</span>`}`,
      decide(one),
    ]),
  });
}
