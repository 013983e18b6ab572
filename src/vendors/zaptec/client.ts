import Type, { type Static, type TSchema } from 'typebox';
import type { Found } from '../../adapter/device.ts';
import type { HttpFailure } from '../../adapter/http.ts';
import * as kit from '../../adapter/kit/index.ts';
import type { LoginSession, Tokens } from '../../adapter/login.ts';
import type { DeviceRef, Session } from '../../adapter/session.ts';
import { type ChargerRaw, Details, Installation, MOST_A, type Observing, observingIn } from './translate.ts';

/** An installation may come with the logo of who supports it. */
const mostBytes = 8 * 1024 * 1024;
/** Each costs a call whenever one of them is read. */
const MOST_OTHERS = 3;
/** Bit of a user who may charge, and nothing else: Zaptec answers 403 to whatever such a one asks about a charger. */
const USER_ALONE = 1;
/** "DeviceTypes" of meters for load balancing (Sense), which are listed among the chargers. */
const METERS: readonly unknown[] = [3, 5, 6, 7, 8];

const Page = kit.lenient({ Pages: Type.Integer() }, 'Data');
const Listed = kit.lenient(
  { Id: kit.PlainId },
  ...(['Name', 'DeviceType', 'Active', 'InstallationId', 'CurrentUserRoles'] as const),
);
type Listed = Static<typeof Listed>;

/** "ErrorCodes" of `GET /api/constants`, in the field `Code` of a body, mostly with status 500. */
export const { failure } = kit.errorCodes('Zaptec', {
  codeIn: ({ Code }) => Code,
  refusedWith: [500],
  refused: {
    506: 'it is not for this account',
    512: 'the charger or installation does not exist; link the account again to update the list of devices',
    520: 'the charger did not respond to Zaptec',
    527: "it is not supported here; where Zaptec's own power management (Sense) controls the installation, turn that off first",
    528: 'the charger rejects the command in its present state',
    533: 'the account has no permission; link the account of the owner',
    538: 'the state of the charger does not permit it',
    539: 'it is beyond what the installation permits',
    542: 'the installation is controlled over OCPP',
  },
});

export const api = kit.vendorCalls('Zaptec', { failure });

/** Since September 2025 Zaptec answers 204, without a body, about what an account has no access to; a command may well be done with it. */
const reading = kit.vendorCalls('Zaptec', {
  failure,
  refusals: {
    statuses: [204],
    error: (_answer, { what }) =>
      kit.refused(`the Zaptec account has no access to ${what}; link the account of its owner`),
  },
});

/** A wrong password is 400; another 400 is Zaptec's trouble, and must not cost the user the link. */
export function isWrongPassword(cause: HttpFailure): boolean {
  if (cause.status !== 400) return cause.status === 401;
  const { error, error_description: description } = kit.objectIn(kit.jsonIn(cause.bodyText()));
  return error === 'invalid_grant' || /user ?name|password/i.test(String(description));
}

/** From user name and password to a token; Zaptec gives nothing to renew it with. */
export async function signIn(
  { http, clock }: LoginSession,
  { username, password }: { readonly username: string; readonly password: string },
): Promise<Tokens> {
  const form = { grant_type: 'password', username: username.trim(), password };
  const response = await http.send({ method: 'POST', path: '/oauth/token', use: 'login', form });
  return kit.tokensIn('Zaptec', response.json(), { now: clock.now(), before: undefined });
}

/** Every member of a list of Zaptec's, which come in numbered pages. */
function listOf<S extends TSchema>(session: Session, path: string, schema: S, what: string) {
  return kit.allPages<Static<S>, number>(what, async (index = 0) => {
    const query = { PageIndex: String(index), PageSize: '100' };
    const request = { what, query, use: 'list', mostBytes } as const;
    const { Pages, Data } = await reading.get(session, path, Page, request);
    return { members: kit.each(Data, schema), next: index + 1 < Pages ? index + 1 : undefined };
  });
}

/** The chargers that the account may do more with than charge. */
export async function findChargers(session: Session): Promise<Found[]> {
  const installations = await listOf(session, '/api/installation', Installation, 'the installations');
  const listed = await listOf(session, '/api/chargers', Listed, 'the chargers');
  const chargers = listed.filter((one) => !METERS.includes(one.DeviceType) && one.Active !== false);
  const mine = chargers.filter(({ CurrentUserRoles: roles }) => roles !== USER_ALONE);
  const left = chargers.length - mine.length;
  if (left > 0)
    session.log.info({ left }, 'chargers that the Zaptec account may only charge at are left out');
  return kit.listedOnce(
    mine.map((charger): Found => {
      const place = installations.find(({ Id }) => Id === charger.InstallationId);
      const details = detailsIn(charger, place, chargers);
      return { id: charger.Id, type: 'charger', ...kit.named(charger.Name), details };
    }),
  );
}

function detailsIn(charger: Listed, place: Installation | undefined, all: readonly Listed[]): Details {
  const { Id: installation = null, MaxCurrent } = place ?? {};
  const limit = typeof MaxCurrent === 'number' && MaxCurrent > 0 ? Math.floor(MaxCurrent) : null;
  const max_a = Math.min(MOST_A, limit ?? MOST_A);
  const others = all.filter(({ Id, InstallationId }) => InstallationId === installation && Id !== charger.Id);
  const without = (unbalanced: Details['unbalanced']) => ({ max_a, installation, others: [], unbalanced });
  if (installation === null || limit === null) return without('unknown');
  if ([place, ...others].some((one) => one?.CurrentUserRoles === USER_ALONE)) return without('access');
  // The limits of a device are of both its commands: what an installation of several takes must be within them, or could not be set again.
  if (others.length > MOST_OTHERS || (others.length > 0 && limit > MOST_A)) return without('shared');
  return { max_a, installation, others: others.map(({ Id }) => Id), unbalanced: null };
}

export const chargerPath = (id: string): string => `/api/chargers/${encodeURIComponent(id)}`;
export const installationPath = ({ installation }: Details): string =>
  `/api/installation/${encodeURIComponent(installation ?? '')}`;

/** What a charger reports, one call. */
export async function observe(session: Session, id: string): Promise<Observing> {
  const request = { what: `charger ${id}`, device: id, mostBytes };
  const path = `${chargerPath(id)}/state`;
  return observingIn(await reading.get(session, path, Type.Array(Type.Unknown()), request));
}

/** A charger; where the limit of its installation is set through it, also that and what its other chargers report, as far as they are not refused. */
export async function readCharger(session: Session, device: DeviceRef): Promise<ChargerRaw> {
  const details = kit.detailsOf(Details, device);
  const { observed } = await observe(session, device.id);
  const isAlone = details.unbalanced !== null;
  const installation = isAlone ? undefined : await kit.unlessRefused(observeInstallation(session, device));
  return { details, observed, installation: installation ?? null };
}

/** What is in force for an installation, and what its other chargers report. */
async function observeInstallation(session: Session, device: DeviceRef): Promise<ChargerRaw['installation']> {
  const details = kit.detailsOf(Details, device);
  const request = { what: `the installation of ${device.id}`, device: device.id, mostBytes };
  const is = await reading.get(session, installationPath(details), Installation, request);
  const others: Observing[] = [];
  for (const id of details.others) others.push(await observe(session, id));
  return { is, others };
}
