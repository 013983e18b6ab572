import { type Accounts, canonicalEmail, type GlobalPolicy } from '../../../domain/access/accounts/index.ts';
import { type Html, html } from '../../../pages/html.ts';
import { GlobalPolicy as GlobalPolicyParameters } from '../administration/schemas.ts';
import { readParameters } from '../input/parameters.ts';
import { type Faults, faultsIn, section } from '../pages/form-parts.ts';
import { accountPath } from './account.ts';
import {
  empty,
  filter,
  formatCount,
  numberField,
  pageOf,
  pager,
  partOf,
  shownOf,
  table,
  time,
  wanted,
} from './parts.ts';
import { type Asked, noticeIn, type OperatorScope } from './scope.ts';
import { sectionPath } from './sections.ts';

const WORDS = {
  title: 'Usage',
  account: 'Account (id or email address)',
  owner: 'Account',
  key: 'Key id',
  route: 'Route',
  day: 'Day',
  count: 'Calls',
  service: 'Service',
  status: 'Status',
  last: 'Last call',
  nobody: 'without a key',
  none: 'No calls.',
  noneText: 'No calls match. Calls are counted here within a second.',
  quotas: 'Calls without a key',
  quotasText: 'Quotas for callers without a key, in each UTC day.',
  fields: {
    anon_per_ip_per_day: 'From one IP address',
    anon_global_per_day: 'From all together',
  },
  numberFault: 'Write a whole number from 0 to 1,000,000,000.',
  setQuotas: 'Set the quotas',
  quotasSentence: (perIp: string, all: string) =>
    `Set the quotas of calls without a key to ${perIp} a day from one IP address and ${all} a day from all together? They hold at once, on every instance.`,
  done: { 'quotas-set': 'The quotas are set.' },
};

type UsageAccounts = Pick<Accounts, 'users' | 'searchUsage' | 'globalPolicy' | 'setGlobalPolicy'>;

const HOME = sectionPath('usage');
const QUOTAS = `${HOME}/quotas`;
const QUOTA_FIELDS = ['anon_per_ip_per_day', 'anon_global_per_day'] as const;

/** No account has this id: 0 stands for calls without a key. */
const NOBODY = -1;

/** Calls by account, key, route and day, and the quotas of calls without a key. */
export function addOperatorUsage(pages: OperatorScope, accounts: UsageAccounts): void {
  pages.addPage({
    path: HOME,
    section: 'usage',
    show: async (asked) => {
      const notice = noticeIn(WORDS.done, asked.query('done'));
      return { title: WORDS.title, body: await usageBody(asked, accounts, {}), notice };
    },
  });

  pages.addChange({
    path: QUOTAS,
    section: 'usage',
    async plan(asked) {
      const { form } = asked;
      if (!asked.isSent)
        return { refused: { title: WORDS.title, body: await usageBody(asked, accounts, {}), status: 200 } };
      const sent = Object.fromEntries(QUOTA_FIELDS.map((name) => [name, form.text(name)]));
      const { values, faults } = readParameters(GlobalPolicyParameters, { place: 'body', sent });
      if (faults.length > 0) {
        const named = Object.fromEntries(faults.map(({ loc }) => [String(loc.at(-1)), WORDS.numberFault]));
        const body = await usageBody(asked, accounts, { faults: named, sent });
        return { refused: { title: WORDS.title, body } };
      }
      return {
        title: WORDS.quotas,
        sentence: WORDS.quotasSentence(
          formatCount(values.anon_per_ip_per_day),
          formatCount(values.anon_global_per_day),
        ),
        button: WORDS.setQuotas,
        back: `${HOME}#quotas`,
        async carryOut(actor) {
          await accounts.setGlobalPolicy(values, actor);
          return { to: `${HOME}#quotas`, done: 'quotas-set' };
        },
      };
    },
  });
}

interface QuotaForm {
  readonly faults?: Faults;
  readonly sent?: Readonly<Record<string, string>>;
}

async function usageBody(asked: Asked, accounts: UsageAccounts, form: QuotaForm): Promise<Html> {
  const { query } = asked;
  const page = pageOf(query('page'));
  const chosen = {
    account: query('account').trim(),
    key: query('key').trim(),
    route: query('route').trim(),
    day: query('day').trim(),
  };
  const { rows, hasNext } = shownOf(
    await accounts.searchUsage({
      account: await accountOf(chosen.account, accounts),
      keyId: wanted(chosen.key),
      route: wanted(chosen.route),
      day: wanted(chosen.day),
      ...partOf(page),
    }),
  );
  const list = table({
    label: WORDS.title,
    columns: [
      WORDS.day,
      WORDS.owner,
      WORDS.key,
      WORDS.service,
      WORDS.route,
      WORDS.status,
      { number: WORDS.count },
      WORDS.last,
    ],
    rows: rows.map((row) => [
      row.day,
      row.user_id === null
        ? html`<span class="soft">${WORDS.nobody}</span>`
        : html`<a href="${accountPath(row.user_id)}">${row.email ?? row.user_id}</a>`,
      row.key_id === null ? null : html`<code>${row.key_id}</code>`,
      row.service,
      html`<code>${row.route}</code>`,
      row.status_class,
      formatCount(row.count),
      time(row.last_at),
    ]),
  });
  return html`${filter({
    path: HOME,
    submit: 'Show',
    fields: (['account', 'key', 'route', 'day'] as const).map((name) => ({
      ...{ name, label: WORDS[name], value: chosen[name] },
    })),
  })}
${rows.length === 0 ? empty(WORDS.none, WORDS.noneText) : list}
${pager({ path: HOME, query: chosen, page, hasNext })}
${quotas(asked, accounts.globalPolicy(), form)}`;
}

/** Undefined for all accounts. */
async function accountOf(text: string, { users }: Pick<Accounts, 'users'>): Promise<number | undefined> {
  if (text === '') return undefined;
  if (/^\d{1,15}$/.test(text)) return Number(text);
  return (await users.find(canonicalEmail(text)))?.id ?? NOBODY;
}

function quotas({ canChange }: Asked, policy: GlobalPolicy, { faults = {}, sent }: QuotaForm): Html {
  const wrong = faultsIn(faults, QUOTA_FIELDS);
  const body = canChange
    ? html`<form class="card" method="post" action="${QUOTAS}" novalidate aria-labelledby="quotas">
${QUOTA_FIELDS.map((name) => numberField({ id: name, name, label: WORDS.fields[name], value: sent?.[name] ?? String(policy[name]), ...wrong(name) }))}
<div class="row"><button class="button">${WORDS.setQuotas}</button></div></form>`
    : html`<dl class="facts">${QUOTA_FIELDS.map((name) => html`<dt>${WORDS.fields[name]}</dt><dd class="number">${formatCount(policy[name])}</dd>`)}</dl>`;
  return section({ id: 'quotas', title: WORDS.quotas, text: WORDS.quotasText, body });
}
