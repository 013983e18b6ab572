import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import type { Accounts } from '../../../domain/access/accounts/index.ts';
import { nextPage } from '../../../http/next-page.ts';
import { actorOf, adminRoute } from '../administration/route.ts';
import {
  Application,
  ApprovedApplication,
  AUDIT_RULES,
  AuditEntry,
  AuditFilters,
  BAN_RULES,
  Ban,
  BanParameters,
  BanPath,
  GlobalPolicy,
  LimitParameter,
  PartnerPath,
  Usage,
} from '../administration/schemas.ts';
import { parse } from '../input/parameters.ts';

const wanted = (text: string): string | undefined => (text === '' ? undefined : text);
const momentIn = (text: string): number | undefined => (text === '' ? undefined : Date.parse(text));

/** The anonymous quotas, usage, bans and the audit trail. */
export function addOversightRoutes(app: FastifyInstance, accounts: Accounts): void {
  app.get(
    '/admin/policy/global',
    adminRoute({
      operationId: 'getAnonymousQuotas',
      summary: 'Read the quotas of calls without a key',
      answer: GlobalPolicy,
    }),
    async () => accounts.globalPolicy(),
  );

  app.post(
    '/admin/policy/global',
    adminRoute({
      operationId: 'setAnonymousQuotas',
      summary: 'Set the quotas of calls without a key',
      query: GlobalPolicy,
      answer: GlobalPolicy,
    }),
    (request) =>
      accounts.setGlobalPolicy(
        parse(GlobalPolicy, { place: 'query', sent: request.query }),
        actorOf(request),
      ),
  );

  app.get(
    '/admin/usage',
    adminRoute({
      operationId: 'listUsage',
      summary: 'List usage by user, key, route and day, newest first',
      query: LimitParameter,
      answer: Type.Array(Usage),
    }),
    (request) => accounts.usage(parse(LimitParameter, { place: 'query', sent: request.query }).limit),
  );

  app.get(
    '/admin/audit',
    adminRoute({
      operationId: 'listAuditEntries',
      summary: 'List what administrators changed, newest first',
      query: AuditFilters,
      answer: Type.Array(AuditEntry),
      pagination: { cursor: 'cursor' },
    }),
    async (request, reply) => {
      const sent = parse(AuditFilters, { place: 'query', sent: request.query, rules: AUDIT_RULES });
      const { limit, cursor } = sent;
      // One more than asked for tells whether there is a next page.
      const found = await accounts.audit({
        ...{ actor: wanted(sent.actor), action: wanted(sent.action), target: wanted(sent.target) },
        since: momentIn(sent.since),
        until: momentIn(sent.until),
        before: cursor === 0 ? undefined : cursor,
        limit: limit + 1,
      });
      const entries = found.slice(0, limit);
      const last = entries.at(-1);
      if (found.length > limit && last !== undefined)
        reply.header('link', nextPage('/admin/audit', request.query, { cursor: String(last.id) }));
      return entries;
    },
  );

  app.get(
    '/admin/bans',
    adminRoute({
      operationId: 'listBans',
      summary: 'List banned IP addresses, newest first',
      answer: Type.Array(Ban),
    }),
    () => accounts.bans.list(),
  );

  app.post(
    '/admin/bans',
    adminRoute({
      operationId: 'banAddress',
      summary: 'Ban an IP address until a time, on every instance at once',
      query: BanParameters,
      answer: Ban,
    }),
    (request) => {
      const { ip, reason, expires_at } = parse(BanParameters, {
        place: 'query',
        sent: request.query,
        rules: BAN_RULES,
      });
      return accounts.bans.add({ ip, reason, expiresAt: Date.parse(expires_at) }, actorOf(request));
    },
  );

  app.delete(
    '/admin/bans/:ban_id',
    adminRoute({
      operationId: 'liftBan',
      summary: 'Lift a ban, on every instance at once',
      path: BanPath,
      answer: Ban,
      errors: { 404: 'The ban does not exist' },
    }),
    (request) =>
      accounts.bans.lift(parse(BanPath, { place: 'path', sent: request.params }).ban_id, actorOf(request)),
  );
}

/** Applications for access, which are sent on the Connect service and decided here. */
export function addPartnerRoutes(app: FastifyInstance, { partners }: Pick<Accounts, 'partners'>): void {
  const errors = { 404: 'No such application', 409: 'It has been decided already' };
  const idOf = (params: unknown) => parse(PartnerPath, { place: 'path', sent: params }).application_id;

  app.get(
    '/admin/partners',
    adminRoute({
      operationId: 'listPartnerApplications',
      summary: 'List partner applications, newest first',
      answer: Type.Array(Application),
    }),
    () => partners.list(),
  );

  app.post(
    '/admin/partners/:application_id/approve',
    adminRoute({
      operationId: 'approvePartnerApplication',
      summary: 'Approve an application: creates the user and the first key, which is shown only once',
      path: PartnerPath,
      answer: ApprovedApplication,
      errors,
    }),
    (request) => {
      return partners.approve(idOf(request.params), actorOf(request));
    },
  );

  app.post(
    '/admin/partners/:application_id/reject',
    adminRoute({
      operationId: 'rejectPartnerApplication',
      summary: 'Reject an application',
      path: PartnerPath,
      answer: Application,
      errors,
    }),
    (request) => partners.reject(idOf(request.params), actorOf(request)),
  );
}
