import type { Accounts, PartnerApplication } from '../../../domain/access/accounts/index.ts';
import { type Html, html } from '../../../pages/html.ts';
import { accountPath, keyCard } from './account.ts';
import { empty, filter, inSentence, pageOf, pager, partOf, shownOf, table, time } from './parts.ts';
import { type Asked, noticeIn, type OperatorScope } from './scope.ts';
import { sectionPath } from './sections.ts';

const WORDS = {
  title: 'Partner applications',
  company: 'Company',
  contact: 'Contact',
  useCase: 'Use case',
  vendors: 'Vendors',
  status: 'Status',
  statuses: { received: 'Waiting', approved: 'Approved', rejected: 'Rejected' } as Readonly<
    Record<string, string>
  >,
  received: 'Received',
  decide: 'Decide',
  account: (id: number) => `Account ${id}`,
  approve: 'Approve',
  reject: 'Reject',
  none: 'No applications.',
  noneText: 'Companies apply for access through the API of Connect. Applications show here.',
  approveSentence: (company: string, email: string) =>
    `Approve the application of “${company}” (${email})? An account is created for the address, or the existing one is used, with a key that is shown once.`,
  rejectSentence: (company: string, email: string) =>
    `Reject the application of “${company}” (${email})? It cannot be approved afterwards; the company can apply again.`,
  approved: 'The application is approved',
  done: { rejected: 'The application is rejected.' },
};

const HOME = sectionPath('partners');
const STATUSES = ['received', 'approved', 'rejected'] as const;

/** Applications for access, to approve or reject. */
export function addOperatorPartners(pages: OperatorScope, { partners }: Pick<Accounts, 'partners'>): void {
  pages.addPage({
    path: HOME,
    section: 'partners',
    async show(asked) {
      const status = STATUSES.find((one) => one === asked.query('status'));
      const page = pageOf(asked.query('page'));
      const { rows, hasNext } = shownOf(await partners.search({ status, ...partOf(page) }));
      const query = { status: status ?? '' };
      const body = html`${filter({
        path: HOME,
        submit: 'Show',
        fields: [
          {
            name: 'status',
            label: WORDS.status,
            value: status ?? '',
            choices: [['', 'All'], ...STATUSES.map((one) => [one, WORDS.statuses[one] ?? one] as const)],
          },
        ],
      })}
${rows.length === 0 ? empty(WORDS.none, WORDS.noneText) : list(asked, rows)}
${pager({ path: HOME, query, page, hasNext })}`;
      return { title: WORDS.title, body, notice: noticeIn(WORDS.done, asked.query('done')) };
    },
  });

  pages.addChange({
    path: `${HOME}/:id/approve`,
    section: 'partners',
    async plan(asked) {
      const { id, company, email } = await partners.one(asked.param('id'));
      return {
        title: WORDS.approve,
        sentence: WORDS.approveSentence(inSentence(company), email),
        button: WORDS.approve,
        back: HOME,
        async carryOut(actor) {
          const { key, user_id } = await partners.approve(id, actor);
          const back = user_id === null ? HOME : accountPath(user_id);
          return {
            page: { title: WORDS.approved, body: keyCard({ key, back }), scripts: ['copy-key'] },
          };
        },
      };
    },
  });

  pages.addChange({
    path: `${HOME}/:id/reject`,
    section: 'partners',
    async plan(asked) {
      const { id, company, email } = await partners.one(asked.param('id'));
      return {
        title: WORDS.reject,
        sentence: WORDS.rejectSentence(inSentence(company), email),
        button: WORDS.reject,
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

function list({ canChange }: Asked, applications: readonly PartnerApplication[]): Html {
  const decide = ({ id, company, status, user_id }: PartnerApplication): Html => {
    if (user_id !== null) return html`<a href="${accountPath(user_id)}">${WORDS.account(user_id)}</a>`;
    if (status !== 'received' || !canChange) return html`–`;
    const link = (change: 'approve' | 'reject') =>
      html`<a class="button button-small" href="${`${HOME}/${id}/${change}`}">${WORDS[change]}<span class="hidden-visually"> ${company}</span></a>`;
    return html`<span class="row">${link('approve')} ${link('reject')}</span>`;
  };
  return table({
    label: WORDS.title,
    columns: [
      WORDS.company,
      WORDS.contact,
      WORDS.useCase,
      WORDS.vendors,
      WORDS.received,
      WORDS.status,
      WORDS.decide,
    ],
    rows: applications.map((one) => [
      html`${one.company}${one.website === null ? null : html`<br><span class="small soft">${one.website}</span>`}`,
      html`${one.contact_name}${one.contact_name === null ? null : html`<br>`}${one.email}`,
      one.use_case,
      one.vendors.join(', '),
      time(one.created_at),
      html`${WORDS.statuses[one.status] ?? one.status}${one.decided_at === null ? null : html`<br><span class="small soft">${time(one.decided_at)}</span>`}`,
      decide(one),
    ]),
  });
}
