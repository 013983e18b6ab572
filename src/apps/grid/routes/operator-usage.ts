import type { Accounts, GlobalPolicy } from '../../../domain/accounts/index.ts';
import { canonicalEmail } from '../../../domain/accounts/index.ts';
import { type Html, html } from '../../../pages/html.ts';
import { formatCount, section, time } from '../account/parts.ts';
import { GlobalPolicy as GlobalPolicyParameters } from '../administration/schemas.ts';
import { readParameters } from '../input/parameters.ts';
import { accountPath } from '../operator/account.ts';
import { numberField } from '../operator/form-parts.ts';
import { OVERSIGHT_WORDS } from '../operator/oversight-words.ts';
import { empty, filter, pageOf, pager, partOf, shownOf, table, wanted } from '../operator/parts.ts';
import { type Asked, noticeIn, type OperatorScope } from '../operator/scope.ts';
import { sectionPath } from '../operator/sections.ts';
import { type Faults, faultsIn } from '../pages/form-parts.ts';

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
      const words = OVERSIGHT_WORDS[asked.language].usage;
      const notice = noticeIn(words.done, asked.query('done'));
      return { title: words.title, body: await usageBody(asked, accounts, {}), notice };
    },
  });

  pages.addChange({
    path: QUOTAS,
    section: 'usage',
    async plan(asked) {
      const { language, form } = asked;
      const words = OVERSIGHT_WORDS[language].usage;
      if (!asked.isSent)
        return { refused: { title: words.title, body: await usageBody(asked, accounts, {}), status: 200 } };
      const sent = Object.fromEntries(QUOTA_FIELDS.map((name) => [name, form.text(name)]));
      const { values, faults } = readParameters(GlobalPolicyParameters, { place: 'body', sent });
      if (faults.length > 0) {
        const named = Object.fromEntries(faults.map(({ loc }) => [String(loc.at(-1)), words.numberFault]));
        const body = await usageBody(asked, accounts, { faults: named, sent });
        return { refused: { title: words.title, body } };
      }
      const count = (value: number) => formatCount(value, language);
      return {
        title: words.quotas,
        sentence: words.quotasSentence(count(values.anon_per_ip_per_day), count(values.anon_global_per_day)),
        button: words.setQuotas,
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
  const { language, query } = asked;
  const words = OVERSIGHT_WORDS[language].usage;
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
    label: words.title,
    columns: [
      words.day,
      words.owner,
      words.key,
      words.service,
      words.route,
      words.status,
      { number: words.count },
      words.last,
    ],
    rows: rows.map((row) => [
      row.day,
      row.user_id === null
        ? html`<span class="soft">${words.nobody}</span>`
        : html`<a href="${accountPath(row.user_id)}">${row.email ?? row.user_id}</a>`,
      row.key_id === null ? null : html`<code>${row.key_id}</code>`,
      row.service,
      html`<code>${row.route}</code>`,
      row.status_class,
      formatCount(row.count, language),
      time(row.last_at, language),
    ]),
  });
  return html`${filter({
    path: HOME,
    submit: OVERSIGHT_WORDS[language].search,
    fields: (['account', 'key', 'route', 'day'] as const).map((name) => ({
      ...{ name, label: words[name], value: chosen[name] },
    })),
  })}
${rows.length === 0 ? empty(words.none, words.noneText) : list}
${pager({ language, path: HOME, query: chosen, page, hasNext })}
${quotas(asked, accounts.globalPolicy(), form)}`;
}

/** Undefined for all accounts. */
async function accountOf(text: string, { users }: Pick<Accounts, 'users'>): Promise<number | undefined> {
  if (text === '') return undefined;
  if (/^\d{1,15}$/.test(text)) return Number(text);
  return (await users.find(canonicalEmail(text)))?.id ?? NOBODY;
}

function quotas(
  { language, canChange }: Asked,
  policy: GlobalPolicy,
  { faults = {}, sent }: QuotaForm,
): Html {
  const words = OVERSIGHT_WORDS[language].usage;
  const wrong = faultsIn(faults, QUOTA_FIELDS);
  const body = canChange
    ? html`<form class="card" method="post" action="${QUOTAS}" novalidate aria-labelledby="quotas">
${QUOTA_FIELDS.map((name) => numberField({ id: name, name, label: words.fields[name], value: sent?.[name] ?? String(policy[name]), ...wrong(name) }))}
<div class="row"><button class="button">${words.setQuotas}</button></div></form>`
    : html`<dl class="facts">${QUOTA_FIELDS.map((name) => html`<dt>${words.fields[name]}</dt><dd class="number">${formatCount(policy[name], language)}</dd>`)}</dl>`;
  return section({ id: 'quotas', title: words.quotas, text: words.quotasText, body });
}
