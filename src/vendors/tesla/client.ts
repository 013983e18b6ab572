import Type, { type TSchema } from 'typebox';
import { Compile } from 'typebox/compile';
import { type HttpAnswer, HttpFailure } from '../../adapter/http.ts';
import type { DeviceRef, Session } from '../../adapter/session.ts';
import { vendorFailure } from '../../adapter/vendor-failure.ts';
import type { VendorRequest } from '../../adapter/vendor-http.ts';
import { AppError } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json.ts';
import {
  isMobileAccessOff,
  mobileAccessOff,
  PROXY_REFUSALS,
  REFUSALS,
  refusalOf,
  type Subject,
} from './failures.ts';
import { CarData, CarState, LiveStatus, Me, Outcome, SiteInfo, UserRegion } from './payloads.ts';
import { hostOf, type Region, regionNamed, regionOf } from './regions.ts';

/** A call with its answer, refusals included; what else goes wrong is an `AppError`. */
async function call(session: Session, request: VendorRequest, what: string): Promise<HttpAnswer> {
  try {
    return await session.http.send({
      expect: REFUSALS,
      ...request,
      // Tesla asks for it on calls without a body, too.
      ...(request.json === undefined ? { headers: { 'content-type': 'application/json' } } : {}),
    });
  } catch (error) {
    if (error instanceof HttpFailure && error.status === 401 && isMobileAccessOff(error.bodyText()))
      throw mobileAccessOff(what);
    throw vendorFailure('Tesla', error);
  }
}

/** Reads an answer whose `response` has this shape, and throws what stands for a refusal. */
function parser<T extends TSchema>(schema: T) {
  const check = Compile(schema);
  return (answer: HttpAnswer, subject: Subject): Type.Static<T> => {
    if (answer.status >= 300) throw refusalOf(answer, subject);
    const response = responseIn(answer);
    if (check.Check(response)) return response;
    throw new AppError('vendor.answer_invalid', `Tesla's response about ${subject.what} was not understood`);
  };
}

/** Every answer of the Fleet API has what was asked for in `response`. */
function responseIn(answer: HttpAnswer): unknown {
  try {
    const told = answer.json();
    return typeof told === 'object' && told !== null && !Array.isArray(told) ? told.response : undefined;
  } catch (error) {
    throw vendorFailure('Tesla', error);
  }
}

const parse = {
  region: parser(UserRegion),
  me: parser(Me),
  products: parser(Type.Array(Type.Unknown())),
  siteInfo: parser(SiteInfo),
  carState: parser(CarState),
  carData: parser(CarData),
  outcome: parser(Outcome),
  liveStatus: parser(LiveStatus),
};

const ACCOUNT = 'the account';

/** Where to ask first: whoever lives elsewhere is told so by either. Tokens for China come from another sign-in. */
const ASKED_FOR_REGION = ['eu', 'na'] as const satisfies readonly Region[];

/** The region of the account. A region where this service is not registered, or the account is not, does not answer. */
export async function accountRegion(session: Session): Promise<Region> {
  const now = session.clock.now();
  let refusal: AppError | undefined;
  for (const asked of ASKED_FOR_REGION) {
    const answer = await call(
      session,
      { host: hostOf('api', asked), path: '/api/1/users/region', use: 'list' },
      ACCOUNT,
    );
    if (answer.status === 421 || answer.status === 412) {
      refusal ??= refusalOf(answer, { what: ACCOUNT, region: asked, now });
      continue;
    }
    const told = parse.region(answer, { what: ACCOUNT, region: asked, now });
    const region = regionNamed(told);
    if (region === undefined)
      throw new AppError(
        'vendor.answer_invalid',
        'Tesla names a region of the account that is not known here',
      );
    return region;
  }
  throw refusal ?? new AppError('vendor.refused', 'the account exists in no region of Tesla');
}

/** Names the account for good: its id, or where Tesla gives none, its e-mail address. */
export async function accountName(session: Session, region: Region): Promise<string> {
  const answer = await call(
    session,
    { host: hostOf('api', region), path: '/api/1/users/me', use: 'list' },
    ACCOUNT,
  );
  const me = parse.me(answer, { what: ACCOUNT, region, now: session.clock.now() });
  const name = me.vault_uuid || me.email;
  if (!name) throw new AppError('vendor.answer_invalid', "Tesla's response does not name the account");
  return name;
}

/** Cars and energy sites, mixed; each is judged by itself. */
export async function listProducts(session: Session, region: Region): Promise<readonly unknown[]> {
  const answer = await call(
    session,
    { host: hostOf('api', region), path: '/api/1/products', use: 'list' },
    ACCOUNT,
  );
  return parse.products(answer, { what: ACCOUNT, region, now: session.clock.now() });
}

/** What a site consists of, for accounts whose list does not say it. */
export async function siteInfo(
  session: Session,
  region: Region,
  id: string,
): Promise<Type.Static<typeof SiteInfo>> {
  const what = `the energy site ${id}`;
  const path = `/api/1/energy_sites/${encodeURIComponent(id)}/site_info`;
  const answer = await call(session, { host: hostOf('api', region), path, use: 'list', device: id }, what);
  return parse.siteInfo(answer, { what, region, now: session.clock.now() });
}

const subjectOf = (session: Session, { type, id, details }: DeviceRef): Subject => ({
  what: type === 'vehicle' ? `the car ${id}` : `the energy site ${id}`,
  region: regionOf(details),
  now: session.clock.now(),
});

const carPath = ({ id }: DeviceRef) => `/api/1/vehicles/${encodeURIComponent(id)}`;

async function ask(
  session: Session,
  device: DeviceRef,
  request: Omit<VendorRequest, 'host' | 'device'>,
): Promise<HttpAnswer> {
  const { what, region } = subjectOf(session, device);
  return call(session, { host: hostOf('api', region), device: device.id, ...request }, what);
}

/** What Tesla last knew of the car: `online`, `asleep`, `offline`, or another word. Never wakes it. */
export async function carState(session: Session, device: DeviceRef): Promise<string> {
  const answer = await ask(session, device, { path: carPath(device) });
  return parse.carState(answer, subjectOf(session, device)).state;
}

/**
 * What the car says of its charging; undefined when it sleeps or has no connection, for which it is not woken. Keeps a car
 * awake that is about to fall asleep. Where the car is, is not asked for.
 */
export async function carData(
  session: Session,
  device: DeviceRef,
): Promise<Type.Static<typeof CarData> | undefined> {
  const path = `${carPath(device)}/vehicle_data`;
  const answer = await ask(session, device, { path, query: { endpoints: 'charge_state' } });
  return answer.status === 408 ? undefined : parse.carData(answer, subjectOf(session, device));
}

/** Asks Tesla to wake the car, which takes seconds to minutes; answers its state as it still is as a rule. */
export async function wakeCar(session: Session, device: DeviceRef): Promise<string> {
  const path = `${carPath(device)}/wake_up`;
  const answer = await ask(session, device, { method: 'POST', path, json: {}, use: 'wake' });
  return parse.carState(answer, subjectOf(session, device)).state;
}

export interface CarOrder {
  /** As Tesla names the command. */
  readonly name: string;
  readonly body: JsonObject;
}

/** What became of a command: what the car says, or `asleep` when it could not be told. */
export async function orderCar(
  session: Session,
  device: DeviceRef,
  { name, body }: CarOrder,
): Promise<{ readonly result: boolean; readonly reason: string } | 'asleep'> {
  const subject = subjectOf(session, device);
  const answer = await call(
    session,
    {
      host: hostOf('commands', subject.region),
      method: 'POST',
      path: `${carPath(device)}/command/${name}`,
      json: body,
      use: 'command',
      device: device.id,
      expect: PROXY_REFUSALS,
    },
    subject.what,
  );
  if (answer.status === 408) return 'asleep';
  const { result, reason } = parse.outcome(answer, subject);
  return { result, reason: reason ?? '' };
}

/** Power and charge of an energy site now; undefined while its gateway has no connection. */
export async function liveStatus(
  session: Session,
  device: DeviceRef,
): Promise<Type.Static<typeof LiveStatus> | undefined> {
  const path = `/api/1/energy_sites/${encodeURIComponent(device.id)}/live_status`;
  const answer = await ask(session, device, { path });
  return answer.status === 408 ? undefined : parse.liveStatus(answer, subjectOf(session, device));
}
