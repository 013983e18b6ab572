import { resolve } from 'node:path';
import type { FastifyRequest } from 'fastify';
import { accountShownBy, consoleSessionIn } from '../apps/connect/console/cookies.ts';
import { operatorOf } from '../apps/grid/operator/session.ts';
import { sessionIn } from '../apps/grid/sign-in/cookies.ts';
import type { Clock } from '../core/clock.ts';
import type { Random } from '../core/ids.ts';
import type { Log } from '../core/log.ts';
import type { Metrics } from '../core/metrics.ts';
import type { Secret } from '../core/secret.ts';
import type { VaultKey } from '../core/settings/index.ts';
import type { PeopleSettings } from '../core/settings/people.ts';
import type { Database } from '../db/database.ts';
import type { Accounts } from '../domain/access/accounts/index.ts';
import { createOperators, type Operators } from '../domain/access/operators/index.ts';
import { computeArgon2, createPeople, type People } from '../domain/access/people/index.ts';
import type { ConsoleCaller, Operator, Person } from '../http/access.ts';
import { refuseForeign } from '../http/caller.ts';
import type { Probe } from '../http/health.ts';
import { createMailer, type Mail } from '../outbound/mail.ts';
import { outboxDelivery } from '../outbound/mail-outbox.ts';
import { smtpDelivery } from '../outbound/mail-smtp.ts';

/** Letters that are on their way when the process ends have so long. */
const LAST_LETTERS_MS = 1_000;

interface PeopleAndMailOptions {
  readonly settings: PeopleSettings;
  readonly database: Database;
  readonly accounts: Accounts;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly dataDir: string;
  readonly adminToken: Secret;
  readonly vaultKeys: readonly VaultKey[];
  /** The public address of Grid. */
  readonly gridUrl: () => string | undefined;
  /** The public address of Connect, and as it is configured. */
  readonly connectUrl: () => string | undefined;
  readonly configuredConnectUrl: string | undefined;
}

export interface PeopleAndMail {
  readonly people: People;
  readonly operators: Operators;
  readonly probes: readonly Probe[];
  /** Takes a letter, and delivers it in the background. */
  send(mail: Mail): void;
  /** Who a request is signed in as. */
  personOf(request: FastifyRequest): Promise<Person | undefined>;
  /** Who uses the operator's pages. Throws for a person without the role. */
  operatorOf(request: FastifyRequest): Promise<Operator | undefined>;
  /** Who uses the console, by a request to Connect; undefined for one without its cookie. Throws for pages of other sites. */
  consoleOf(request: FastifyRequest): Promise<ConsoleCaller | undefined> | undefined;
  close(): Promise<void>;
}

/** Where letters are files, on a machine without a mail server. */
export const outboxIn = (dataDir: string): string => resolve(dataDir, 'outbox');

/** People who sign in to the pages of Grid, and their mail. */
export function openPeople(options: PeopleAndMailOptions): PeopleAndMail {
  const { settings, database, accounts, clock, random, log, metrics, dataDir } = options;
  const people = createPeople({
    database,
    accounts,
    clock,
    random,
    compute(computation) {
      metrics.passwordHashes.inc();
      return computeArgon2(computation);
    },
  });
  const { adminToken, vaultKeys } = options;
  const operators = createOperators({ database, clock, random, adminToken, vaultKeys });
  const personOf = (request: FastifyRequest) => people.find(sessionIn(request));
  const folder = outboxIn(dataDir);
  const deliver =
    settings.mail === undefined
      ? outboxDelivery({ folder, clock, random, log })
      : smtpDelivery(settings.mail);
  const mailer = createMailer({ deliver, clock, log, metrics });
  async function callerOf(token: string, shown: string | undefined): Promise<ConsoleCaller | undefined> {
    const found = await people.findConsole(token);
    if (shown !== undefined && shown !== String(found?.account)) return undefined;
    const principal = found && (await accounts.ownerOf(found.account));
    return found && principal && { principal, session: found.session };
  }

  return {
    people,
    operators,
    probes: [
      {
        name: 'mail',
        vital: false,
        async check() {
          const fault = mailer.fault();
          if (fault !== null) throw new Error(fault);
          return 'ok';
        },
      },
    ],
    send: (mail) => mailer.send(mail),
    personOf,
    operatorOf: operatorOf({
      operators,
      accounts,
      personOf,
      isSecure: () => options.gridUrl()?.startsWith('https:') === true,
    }),
    consoleOf(request) {
      // Most requests are programs'.
      if (request.headers.cookie === undefined) return undefined;
      const token = consoleSessionIn(request, options.connectUrl()?.startsWith('https:') === true);
      if (token === undefined) return undefined;
      // control: pages of other sites do not use the session of the console [console-session]
      refuseForeign(request, options.configuredConnectUrl);
      return callerOf(token, accountShownBy(request));
    },
    close: () => mailer.close(LAST_LETTERS_MS),
  };
}
