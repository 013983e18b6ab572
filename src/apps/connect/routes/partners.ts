import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import { validator } from '../../../core/validate.ts';
import type { Accounts } from '../../../domain/access/accounts/index.ts';
import type { Limits } from '../../../http/rate-limit.ts';
import { errorResponses } from '../schemas.ts';

const APPLICATIONS_A_DAY = 5;
const DAY_SECONDS = 86_400;
/** Of an address, those that cannot be accepted too: correcting a mistake takes a few, and nobody needs many. */
const TRIES_AN_HOUR = 60;
const HOUR_SECONDS = 3_600;
/** Bytes: the longest application that is taken, where each of its characters takes two. */
const BODY_LIMIT = 32 * 1024;

const line = (description: string, most = 200) => Type.String({ minLength: 1, maxLength: most, description });

const Application = Type.Object(
  {
    company: Type.String({ ...line('Name of the company'), examples: ['Solbilar AB'] }),
    email: Type.String({ ...line('Email address for the decision', 254), examples: ['anna@example.com'] }),
    contact_name: Type.Optional(line('Name of the contact')),
    website: Type.Optional(line('Website of the company', 500)),
    use_case: Type.Optional(line('What you want to build', 5_000)),
    vendors: Type.Optional(Type.Array(line('Slug of a vendor that you need', 60), { maxItems: 100 })),
  },
  { title: 'PartnerApplication' },
);

const checkApplication = validator(Application, { name: 'body' });

export interface PartnerRoutes {
  readonly accounts: Pick<Accounts, 'partners'>;
  readonly limits: Limits;
}

/** Applications for an account. */
export function addPartnerRoutes(app: FastifyInstance, { accounts, limits }: PartnerRoutes): void {
  const tries = limits.perIp('partners.tries', TRIES_AN_HOUR, HOUR_SECONDS);
  const applications = limits.perIp('partners.apply', APPLICATIONS_A_DAY, DAY_SECONDS);
  app.post(
    '/partners/apply',
    {
      bodyLimit: BODY_LIMIT,
      config: { access: 'public' },
      // Before the body is read: nobody is known here, and nothing is done for who has asked too often.
      async onRequest(request, reply) {
        await tries.take(request.ip, reply);
        await applications.check(request.ip);
      },
      schema: {
        operationId: 'applyAsPartner',
        summary: 'Apply for an account',
        description: `No key needed; ${APPLICATIONS_A_DAY} a day from one IP address, and ${TRIES_AN_HOUR} attempts an hour. An administrator decides.`,
        tags: ['Partners'],
        body: Application,
        response: {
          202: Type.Object({ application_id: Type.String(), status: Type.Literal('received') }),
          ...errorResponses([400, 413, 429, 503]),
        },
      },
    },
    async (request, reply) => {
      const application = checkApplication(request.body);
      // control: an address applies as a partner five times a day [routes/partners]
      await applications.take(request.ip, reply);
      return reply.code(202).send(await accounts.partners.apply(application));
    },
  );
}
