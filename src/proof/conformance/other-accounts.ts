import { kindOf } from '../../adapter/adapters.ts';
import type { Found } from '../../adapter/device.ts';
import type { DeviceRef } from '../../adapter/session.ts';
import { AppError } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json.ts';
import { type CloudCheck, faultOf, type Simulator } from './cloud.ts';

/* What one account must never see of another. */

/** Credentials that say who signs in, and where: of another account they are that account's own. */
const WHO = ['username', 'email', 'client_id', 'host'];

/** Devices of the account that has 500 are not shown to the other one, and cannot be read or chosen by it. */
export async function checkOtherAccounts(check: CloudCheck): Promise<void> {
  const { adapter, simulator, cloud, report } = check;
  const other = await cloud.as('large');
  if (other === undefined) return;
  const { devices: foreign } = await adapter.link(other.session());
  report(
    "another account's devices are not shown",
    await faultOf(async () => {
      none(foreign, (await adapter.link(simulator.session())).devices);
      none(foreign, (await adapter.list?.(simulator.session(), check.refs)) ?? []);
    }),
  );
  const [first] = foreign;
  if (first === undefined) return;
  report("another account's devices cannot be read", await faultOf(() => isHidden(check, first)));
  for (const [name, value] of Object.entries(other.credentials))
    if (isChosen(check, name, value))
      report(
        `another account's "${name}" gives none of its devices`,
        await faultOf(() => isUseless(check, { [name]: value }, foreign)),
      );
}

/** A field that is no secret and says what of an account is meant: a site, a building. */
function isChosen({ adapter, simulator }: CloudCheck, name: string, value: unknown): boolean {
  const { properties = {} } = adapter.credentials as {
    readonly properties?: Readonly<Record<string, { readonly writeOnly?: boolean }>>;
  };
  const isSecret = properties[name]?.writeOnly === true;
  return (
    adapter.oauth === undefined && !isSecret && !WHO.includes(name) && simulator.credentials[name] !== value
  );
}

function none(foreign: readonly Found[], shown: readonly Found[]): void {
  const ids = new Set(foreign.map(({ id }) => id));
  const leaked = shown.filter(({ id }) => ids.has(id));
  if (leaked.length > 0) throw new Error(`${leaked.length} are, such as ${leaked[0]?.id}`);
}

async function isHidden({ adapter, simulator }: CloudCheck, found: Found): Promise<void> {
  const { account, link } = simulator.session();
  const ref: DeviceRef & Found = { ...found, account, link, details: found.details ?? {} };
  const error: unknown = await kindOf(adapter, ref.type)
    .read(simulator.session(), ref)
    .then(
      () => new Error(`${ref.id} is read`),
      (cause: unknown) => cause,
    );
  if (!(error instanceof AppError)) throw error;
  const swept = await adapter.sweep?.(simulator.session(), [ref]).catch(ifRefused);
  if (swept?.has(ref.id) === true) throw new Error(`a sweep has ${ref.id}`);
}

function ifRefused(error: unknown): undefined {
  if (!(error instanceof AppError)) throw error;
}

async function isUseless(
  { adapter, cloud }: CloudCheck,
  of: JsonObject,
  foreign: readonly Found[],
): Promise<void> {
  const linked = async (mixed: Simulator) => (await adapter.link(mixed.session())).devices;
  const shown = await cloud.signedInAs(of).then(linked).catch(ifRefused);
  none(foreign, shown ?? []);
}
