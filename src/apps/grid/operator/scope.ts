import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '../../../core/clock.ts';
import { AppError } from '../../../core/errors.ts';
import { type Random, randomBase62 } from '../../../core/ids.ts';
import type { Actor } from '../../../domain/access/accounts/index.ts';
import type { Operators } from '../../../domain/access/operators/index.ts';
import type { Operator } from '../../../http/access.ts';
import { Form } from '../../../http/forms.ts';
import { sendPage } from '../../../http/pages.ts';
import type { Assets } from '../../../pages/assets.ts';
import { html } from '../../../pages/html.ts';
import { textIn } from '../input/text-in.ts';
import { changesSwitch, operatorFault, operatorPage, type Shown } from './frame.ts';
import { OPERATOR_HOME, SECTIONS, type SectionName, sectionPath } from './sections.ts';
import { actorOf, operatorIn } from './session.ts';
import { OPERATOR_WORDS } from './words.ts';

/** What a page or a change is made for. */
export interface Asked {
  readonly operator: Operator;
  /** Whether changes are on: links and forms that lead to a change are shown only then. */
  readonly canChange: boolean;
  /** Sections that exist, in the order of the navigation. */
  readonly sections: readonly SectionName[];
  /** A part of the path, as in `param('id')` of `/operator/bans/:id/lift`. */
  param(name: string): string;
  /** The last value of a parameter of the query; '' where it is missing. */
  query(name: string): string;
}

interface AskedChange extends Asked {
  /** What was sent; empty where the change is only looked at. */
  readonly form: Form;
  /** Whether it was sent, rather than looked at. */
  readonly isSent: boolean;
}

interface OperatorPage {
  /** As in `/operator/accounts/:id`. The page at `/operator/` and the section's name puts the section into the navigation. */
  readonly path: string;
  /** Undefined for the overview. */
  readonly section: SectionName | undefined;
  show(asked: Asked): Promise<Shown> | Shown;
}

/** A change that is described before it is made. */
export interface Planned {
  readonly title: string;
  /** What will happen to whom, in a sentence. */
  readonly sentence: string;
  /** What the button says that does it. */
  readonly button: string;
  /** Nothing brings back what it removes. */
  readonly isDangerous?: boolean;
  /** Where the operator comes from, and goes back to. */
  readonly back: string;
  /** Makes the change, which must leave an entry in the audit trail. */
  carryOut(actor: Actor): Promise<Made>;
}

/** Where to go after a change, with the name of a notice in `?done=`; or a page that is shown once, such as that of a new key. */
export type Made = { readonly to: string; readonly done: string } | { readonly page: Shown };

interface OperatorChange {
  /** As in `/operator/bans/:id/lift`. GET asks for confirmation; so does POST, with the fields that were sent. */
  readonly path: string;
  readonly section: SectionName;
  /** Describes the change, or sends the form back with what is wrong beside its field. */
  plan(asked: AskedChange): Promise<Planned | { readonly refused: Shown }>;
}

/** Adds pages and changes to the operator's pages. */
export interface OperatorScope {
  addPage(page: OperatorPage): void;
  addChange(change: OperatorChange): void;
}

interface OperatorScopeOptions {
  readonly assets: Assets;
  readonly clock: Clock;
  readonly random: Random;
  readonly operators: Pick<Operators, 'changesUntil' | 'takeForm'>;
}

/**
 * The operator's pages of a scope that takes forms. Every page asks for a session; every change asks besides that changes are on, that
 * it was confirmed, and that its form is sent for the first time.
 */
export function createOperatorScope(
  scope: FastifyInstance,
  { assets, clock, random, operators }: OperatorScopeOptions,
): OperatorScope {
  const sections = new Set<SectionName>();
  const options = {
    config: { access: 'operator-session' as const, showError: operatorFault(assets) },
    schema: { hide: true },
  };

  async function askedOf(request: FastifyRequest): Promise<Asked & { readonly changesUntil: number | null }> {
    const operator = operatorIn(request);
    const changesUntil = await operators.changesUntil(operator.session);
    return {
      operator,
      changesUntil,
      canChange: changesUntil !== null,
      sections: SECTIONS.filter((name) => sections.has(name)),
      param: (name) => textIn(request.params, name),
      query: (name) => textIn(request.query, name),
    };
  }

  const send = (
    request: FastifyRequest,
    reply: FastifyReply,
    {
      asked,
      here,
      shown,
    }: { asked: Awaited<ReturnType<typeof askedOf>>; here: SectionName | undefined; shown: Shown },
  ): FastifyReply => {
    const { operator, changesUntil } = asked;
    const path =
      request.method === 'GET' ? request.url : here === undefined ? OPERATOR_HOME : sectionPath(here);
    const markup = operatorPage(assets, {
      ...{ ...shown, operator, changesUntil, here },
      ...{ sections: asked.sections, path },
    });
    return sendPage(reply, markup, shown.status ?? 200);
  };

  return {
    addPage({ path, section, show }) {
      if (section !== undefined && path === sectionPath(section)) sections.add(section);
      scope.get(path, options, async (request, reply) => {
        const asked = await askedOf(request);
        return send(request, reply, { asked, here: section, shown: await show(asked) });
      });
    },

    addChange({ path, section, plan }) {
      const confirm = async (
        request: FastifyRequest,
        reply: FastifyReply,
        { asked, fault }: { asked: Awaited<ReturnType<typeof askedOf>>; fault?: string },
      ) => {
        const isSent = request.method === 'POST';
        const form = request.body instanceof Form ? request.body : NOTHING_SENT;
        const planned = await plan({ ...asked, form, isSent });
        if ('refused' in planned)
          return send(request, reply, { asked, here: section, shown: { status: 422, ...planned.refused } });
        const shown = confirmation(planned, {
          ...{ ...asked, form, fault, action: request.url },
          token: newFormToken(clock, random),
        });
        const status = fault === undefined ? 200 : 400;
        return send(request, reply, { asked, here: section, shown: { ...shown, status } });
      };

      scope.get(path, options, async (request, reply) =>
        confirm(request, reply, { asked: await askedOf(request) }),
      );
      scope.post(path, options, async (request, reply) => {
        const asked = await askedOf(request);
        // control: a session of the operator changes nothing before changes are turned on [grid/operator/operator]
        if (!asked.canChange)
          throw new AppError(
            'operator.reading_only',
            'turn on changes at /operator before you change something',
          );
        const form = request.body instanceof Form ? request.body : NOTHING_SENT;
        if (form.text('confirmed') !== 'yes') return confirm(request, reply, { asked });
        const token = form.text('form');
        if (!isFreshFormToken(token, clock))
          return confirm(request, reply, { asked, fault: OPERATOR_WORDS.confirm.old });
        const planned = await plan({ ...asked, form, isSent: true });
        if ('refused' in planned)
          return send(request, reply, { asked, here: section, shown: { status: 422, ...planned.refused } });
        // control: a confirmation that is sent twice is carried out once [grid/operator/operator] => (await
        // operators.takeForm(token)) === undefined
        if (!(await operators.takeForm(token)))
          throw new AppError(
            'operator.form_used',
            'this form was sent already, and is not carried out again',
          );
        const made = await planned.carryOut(actorOf(request));
        if ('page' in made) return send(request, reply, { asked, here: section, shown: made.page });
        const [to = '', at] = made.to.split('#');
        const address = `${to}${to.includes('?') ? '&' : '?'}done=${encodeURIComponent(made.done)}`;
        return reply.redirect(at === undefined ? address : `${address}#${at}`, 303);
      });
    },
  };
}

const NOTHING_SENT = new Form(new URLSearchParams());

/** The notice of a name that an address has in `?done=`; undefined for any other text. */
export function noticeIn(notices: Readonly<Record<string, string>>, name: string): string | undefined {
  return Object.hasOwn(notices, name) ? notices[name] : undefined;
}

interface Confirmation {
  readonly changesUntil: number | null;
  /** What was sent; it is sent again with the confirmation. */
  readonly form: Form;
  /** Lets the confirmation be sent once. */
  readonly token: string;
  /** The address of the change. */
  readonly action: string;
  readonly fault: string | undefined;
}

/** Fields of the confirmation itself. */
const OWN_FIELDS: readonly string[] = ['form', 'confirmed'];

/** Says what a change will do to whom, and asks for it to be confirmed. */
function confirmation(planned: Planned, { changesUntil, form, token, action, fault }: Confirmation): Shown {
  const words = OPERATOR_WORDS.confirm;
  const { title, sentence, button, isDangerous = false, back } = planned;
  const sent = form.entries().filter(([name]) => !OWN_FIELDS.includes(name));
  const body = html`${fault === undefined ? null : html`<p class="notice notice-bad" role="alert">${fault}</p>`}
<p class="operator-sentence">${sentence}</p>
${
  changesUntil === null
    ? html`<div class="notice notice-note"><p>${words.readingOnly}</p>${changesSwitch({ path: action, changesUntil })}</div>
<div class="row"><a class="button" href="${back}">${words.back}</a></div>`
    : html`<form class="row" method="post" action="${action}">
${sent.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}
<input type="hidden" name="form" value="${token}"><input type="hidden" name="confirmed" value="yes">
<button class="${isDangerous ? 'button button-danger' : 'button button-primary'}">${button}</button>
<a class="button" href="${back}">${words.back}</a></form>`
}`;
  return { title, body };
}

/** Shorter than the results of forms are kept, so that a form cannot be sent again after its result was removed. */
const LASTS_MS = 20 * 3_600_000;
const TOKEN = /^([0-9a-z]{8,9})\.[0-9A-Za-z]{22}$/;

/** The idempotency key of one display of a form: two submits with it are one request. */
function newFormToken(clock: Clock, random: Random): string {
  return `${clock.now().toString(36)}.${randomBase62(random, 22)}`;
}

/** Whether a token is one of these, and younger than the used tokens are remembered. */
function isFreshFormToken(token: string, clock: Clock): boolean {
  const age = clock.now() - Number.parseInt(TOKEN.exec(token)?.[1] ?? '', 36);
  return age >= 0 && age < LASTS_MS;
}
