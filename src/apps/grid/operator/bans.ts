import type { Clock } from '../../../core/clock.ts';
import { HOUR_MS } from '../../../core/durations.ts';
import { AppError } from '../../../core/errors.ts';
import { type Accounts, clientAddress, faultInBannedAddress } from '../../../domain/access/accounts/index.ts';
import { type Html, html } from '../../../pages/html.ts';
import { type Faults, faultsIn, textField } from '../pages/form-parts.ts';
import {
  empty,
  formatCount,
  inSentence,
  numberField,
  PAGE_ROWS,
  pageOf,
  pager,
  table,
  time,
} from './parts.ts';
import { type Asked, noticeIn, type OperatorScope } from './scope.ts';
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
  add: 'Ban an address',
  addHint: 'An IPv4 address, or an IPv6 address, whose /64 network is banned.',
  addressFault: 'Write an IP address, such as 192.0.2.7, that is no address of this machine.',
  reasonFault: 'Write 1 to 200 characters.',
  hours: 'Hours',
  hoursFault: 'Write a whole number from 1 to 8,760, which is a year.',
  addSentence: (ip: string, hours: string, reason: string) =>
    `Ban ${ip} for ${hours === '1' ? 'an hour' : `${hours} hours`}, because of “${reason}”? Requests from it without a valid key are refused at once, on every instance.`,
  done: { lifted: 'The ban is lifted.', banned: 'The address is banned.' },
};

const HOME = sectionPath('bans');

/** Hours that a ban by hand lasts at most, a year. */
const MOST_HOURS = 8_760;

interface SentBan {
  readonly faults?: Faults;
  readonly sent?: Readonly<Record<string, string>>;
}

function banForm({ faults = {}, sent = {} }: SentBan): Html {
  const wrong = faultsIn(faults, ['ip', 'reason', 'hours']);
  return html`<form class="card" method="post" action="${`${HOME}/add`}" novalidate aria-labelledby="add-ban">
<h2 id="add-ban">${WORDS.add}</h2>
${textField({ id: 'ban-ip', name: 'ip', label: WORDS.address, hint: WORDS.addHint, ...wrong('ip'), value: sent.ip ?? '', longest: 45 })}
${textField({ id: 'ban-reason', name: 'reason', label: WORDS.reason, ...wrong('reason'), value: sent.reason ?? '', longest: 200 })}
${numberField({ id: 'ban-hours', name: 'hours', label: WORDS.hours, ...wrong('hours'), value: sent.hours ?? '24' })}
<div class="row"><button class="button">${WORDS.add}</button></div></form>`;
}

interface BanParts extends Pick<Accounts, 'bans'> {
  readonly clock: Clock;
}

/** Banned addresses, banning one by hand, and lifting their bans. */
export function addOperatorBans(pages: OperatorScope, { bans, clock }: BanParts): void {
  const show = async ({ canChange, query }: Asked, sentBack: SentBan = {}) => {
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
${canChange && banForm(sentBack)}
${rows.length === 0 ? empty(WORDS.none, WORDS.noneText) : list}
${pager({ path: HOME, query: {}, page, hasNext: all.length > page * PAGE_ROWS })}`;
    return { title: WORDS.title, body, notice: noticeIn(WORDS.done, query('done')) };
  };
  pages.addPage({ path: HOME, section: 'bans', show: (asked) => show(asked) });

  pages.addChange({
    path: `${HOME}/add`,
    section: 'bans',
    async plan(asked) {
      if (!asked.isSent) return { refused: { ...(await show(asked)), status: 200 } };
      const sent = asked.form.fields();
      const ip = (sent.ip ?? '').trim();
      const reason = (sent.reason ?? '').trim();
      const hours = Number(sent.hours);
      const faults: Faults = {
        ...(faultInBannedAddress(ip) === null ? {} : { ip: WORDS.addressFault }),
        ...(reason !== '' && [...reason].length <= 200 ? {} : { reason: WORDS.reasonFault }),
        ...(Number.isInteger(hours) && hours >= 1 && hours <= MOST_HOURS ? {} : { hours: WORDS.hoursFault }),
      };
      if (Object.keys(faults).length > 0) return { refused: await show(asked, { faults, sent }) };
      return {
        title: WORDS.add,
        sentence: WORDS.addSentence(clientAddress(ip), formatCount(hours), inSentence(reason)),
        button: WORDS.add,
        isDangerous: true,
        back: HOME,
        async carryOut(actor) {
          await bans.add({ ip, reason, expiresAt: clock.now() + hours * HOUR_MS }, actor);
          return { to: HOME, done: 'banned' };
        },
      };
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
