import type { LinkedVendor } from '../../../domain/vendor-states/index.ts';
import { type Html, html } from '../../../pages/html.ts';
import { formatCount, section } from '../account/parts.ts';
import { ACCOUNTS_WORDS } from './accounts-words.ts';
import { vendorRow } from './health-tables.ts';
import { empty, numbers, pathWith, table } from './parts.ts';
import type { Asked } from './scope.ts';
import { sectionPath } from './sections.ts';

interface AccountVendors {
  readonly account: number;
  readonly vendors: readonly LinkedVendor[];
}

/** What an account has linked, by vendor: counts alone, since names and devices are its users' own. */
export function vendorsSection({ language }: Pick<Asked, 'language'>, shown: AccountVendors): Html {
  const { account, vendors } = shown;
  const words = ACCOUNTS_WORDS[language].vendors;
  const count = (value: number) => formatCount(value, language);
  const health = (slug: string) => `${sectionPath('health')}#${vendorRow(slug)}`;
  const body =
    vendors.length === 0
      ? empty(words.none, words.noneText)
      : html`${table({
          label: words.title,
          columns: [
            words.vendor,
            ...numbers(words.active, words.unreachable, words.needsRelink, words.devices),
            words.allAccounts,
          ],
          rows: vendors.map(({ slug, name, links, devices }) => [
            name,
            count(links.active),
            count(links.unreachable),
            count(links.needsRelink),
            count(devices),
            html`<a href="${health(slug)}">${words.health}<span class="hidden-visually"> ${name}</span></a>`,
          ]),
        })}
<p><a href="${pathWith(sectionPath('requests'), { account: String(account) })}">${words.requests}</a></p>`;
  return section({ id: 'vendors', title: words.title, text: words.text, body });
}
