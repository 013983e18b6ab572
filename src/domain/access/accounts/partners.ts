import { type Clock, rfc3339 } from '../../../core/clock.ts';
import { AppError } from '../../../core/errors.ts';
import { type Random, randomId } from '../../../core/ids.ts';
import type { Database, Queries } from '../../../db/database.ts';
import { SCOPES } from './api-key.ts';
import type { Actor, Audit } from './audit.ts';
import type { Keys, NewKey } from './keys.ts';
import { canonicalEmail, faultInEmail } from './names-and-emails.ts';
import { accountOfAddress } from './store.ts';
import {
  type ApplicationRow,
  type ApplicationSearch,
  allApplications,
  applicationById,
  decideApplication,
  insertApplication,
  searchApplications,
  setApplicationAccount,
} from './store-administration.ts';

/** A company's description of itself in its application. */
interface Applicant {
  readonly company: string;
  readonly email: string;
  readonly contact_name?: string | undefined;
  readonly website?: string | undefined;
  readonly use_case?: string | undefined;
  readonly vendors?: readonly string[] | undefined;
}

export interface PartnerApplication {
  readonly id: string;
  readonly company: string;
  readonly email: string;
  readonly contact_name: string | null;
  readonly website: string | null;
  readonly use_case: string | null;
  readonly vendors: readonly string[];
  /** received, approved, rejected */
  readonly status: string;
  /** RFC 3339. */
  readonly created_at: string;
  readonly decided_at: string | null;
  /** The account created or chosen on approval. */
  readonly user_id: number | null;
}

interface PartnersOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly random: Random;
  readonly audit: Audit;
  readonly keys: Keys;
}

/** Applications for access: anyone may send one; an administrator decides it once. */
export class Partners {
  readonly #options: PartnersOptions;

  constructor(options: PartnersOptions) {
    this.#options = options;
  }

  async apply(applicant: Applicant): Promise<{ application_id: string; status: 'received' }> {
    const { database, clock, random } = this.#options;
    const fault = faultInEmail(applicant.email);
    if (fault !== null) throw new AppError('request.invalid', `email is not a valid address: ${fault}`);
    const id = randomId(random);
    await insertApplication(database.queries, {
      id,
      company: applicant.company,
      email: canonicalEmail(applicant.email),
      contact_name: applicant.contact_name ?? null,
      website: applicant.website ?? null,
      use_case: applicant.use_case ?? null,
      vendors_json: JSON.stringify(applicant.vendors ?? []),
      status: 'received',
      created_at: clock.now(),
      decided_at: null,
      account_id: null,
    });
    return { application_id: id, status: 'received' };
  }

  async list(): Promise<PartnerApplication[]> {
    const rows = await allApplications(this.#options.database.queries);
    return rows.map(toApplication);
  }

  /** A part of the applications that match, the newest first. */
  async search(search: ApplicationSearch): Promise<PartnerApplication[]> {
    const rows = await searchApplications(this.#options.database.queries, search);
    return rows.map(toApplication);
  }

  /** One application; throws `partner.not_found`. */
  async one(id: string): Promise<PartnerApplication> {
    const row = await applicationById(this.#options.database.queries, id);
    if (row === undefined) throw noApplication();
    return toApplication(row);
  }

  /** Creates the account, or takes the existing one of that address, and a key whose secret only this response holds. */
  async approve(id: string, actor: Actor): Promise<PartnerApplication & { key: NewKey }> {
    const { database, clock, audit, keys } = this.#options;
    return database.transaction(async (queries) => {
      const application = await this.#decide(queries, { id, status: 'approved' });
      const { email, company } = application;
      const { account, isNew } = await accountOfAddress(queries, {
        email,
        name: company,
        tier: 'free',
        created_at: clock.now(),
      });
      await setApplicationAccount(queries, id, account.id);
      await audit(queries, actor, {
        action: 'partner.approved',
        target: `partner/${id}`,
        detail: { email, company, user_id: account.id, user_created: isNew },
      });
      const key = await keys.add(queries, { account: account.id, label: company, scopes: SCOPES }, actor);
      return { ...toApplication({ ...application, account_id: account.id }), key };
    });
  }

  async reject(id: string, actor: Actor): Promise<PartnerApplication> {
    const { database, audit } = this.#options;
    return database.transaction(async (queries) => {
      const application = await this.#decide(queries, { id, status: 'rejected' });
      await audit(queries, actor, {
        action: 'partner.rejected',
        target: `partner/${id}`,
        detail: { email: application.email, company: application.company },
      });
      return toApplication(application);
    });
  }

  async #decide(
    queries: Queries,
    decision: { readonly id: string; readonly status: 'approved' | 'rejected' },
  ): Promise<ApplicationRow> {
    const decided = await decideApplication(queries, { ...decision, at: this.#options.clock.now() });
    if (decided !== undefined) return decided;
    const existing = await applicationById(queries, decision.id);
    throw existing === undefined
      ? noApplication()
      : new AppError('partner.decided', `the application was already ${existing.status}`);
  }
}

const noApplication = () =>
  new AppError(
    'partner.not_found',
    'there is no partner application with this id; GET /admin/partners lists them',
  );

function toApplication(row: ApplicationRow): PartnerApplication {
  const { vendors_json, created_at, decided_at, account_id, ...rest } = row;
  return {
    ...rest,
    vendors: JSON.parse(vendors_json) as string[],
    created_at: rfc3339(created_at),
    decided_at: decided_at === null ? null : rfc3339(decided_at),
    user_id: account_id,
  };
}
