import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '../../../core/clock.ts';
import { AppError } from '../../../core/errors.ts';
import type { Random } from '../../../core/ids.ts';
import type { Language } from '../../../core/language.ts';
import type { Actor } from '../../../domain/accounts/index.ts';
import type { Operators } from '../../../domain/operators/index.ts';
import type { Operator } from '../../../http/access.ts';
import { Form } from '../../../http/forms.ts';
import { pageLanguage } from '../../../http/language.ts';
import { sendPage } from '../../../http/pages.ts';
import type { Assets } from '../../../pages/assets.ts';
import { isFreshFormToken, newFormToken } from '../input/form-token.ts';
import { textIn } from '../input/text-in.ts';
import { actorOf, operatorIn } from './caller.ts';
import { confirmation } from './confirm.ts';
import { operatorFault } from './faults.ts';
import { operatorPage, type Shown } from './frame.ts';
import { OPERATOR_HOME, SECTIONS, type SectionName, sectionPath } from './sections.ts';
import { OPERATOR_WORDS } from './words.ts';

/** What a page or a change is made for. */
export interface Asked {
  readonly language: Language;
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

export interface AskedChange extends Asked {
  /** What was sent; empty where the change is only looked at. */
  readonly form: Form;
  /** Whether it was sent, rather than looked at. */
  readonly isSent: boolean;
}

export interface OperatorPage {
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

export interface OperatorChange {
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
      language: pageLanguage(request),
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
    const { language, operator, changesUntil } = asked;
    const path =
      request.method === 'GET' ? request.url : here === undefined ? OPERATOR_HOME : sectionPath(here);
    const canBeShownAgain = request.method === 'GET' && shown.canBeShownAgain !== false;
    const markup = operatorPage(assets, {
      ...{ ...shown, canBeShownAgain, language, operator, changesUntil, here },
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
        if (!asked.canChange)
          throw new AppError(
            'operator.reading_only',
            'turn on changes at /operator before you change something',
          );
        const form = request.body instanceof Form ? request.body : NOTHING_SENT;
        if (form.text('confirmed') !== 'yes') return confirm(request, reply, { asked });
        const token = form.text('form');
        if (!isFreshFormToken(token, clock))
          return confirm(request, reply, { asked, fault: OPERATOR_WORDS[asked.language].confirm.old });
        const planned = await plan({ ...asked, form, isSent: true });
        if ('refused' in planned)
          return send(request, reply, { asked, here: section, shown: { status: 422, ...planned.refused } });
        if (!(await operators.takeForm(token)))
          throw new AppError(
            'operator.form_used',
            'this form was sent already, and is not carried out again',
          );
        const made = await planned.carryOut(actorOf(request));
        if ('page' in made)
          return send(request, reply, {
            asked,
            here: section,
            shown: { ...made.page, canBeShownAgain: false },
          });
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
