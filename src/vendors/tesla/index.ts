import { type Adapter, kind } from '../../adapter/adapter.ts';
import type { Interventions } from '../../adapter/interventions.ts';
import { claimsIn, oauth2, wordsIn } from '../../adapter/kit/index.ts';
import { readCar, readMeter, readSite, setChargeLimit, setCurrent, startCharge, stopCharge } from './car.ts';
import {
  keyUrl,
  link,
  list,
  needsKey,
  nextSteps,
  PAIR_KEY_WORDS,
  whyWithheld,
  withheldFromCar,
  withheldFromSite,
} from './client.ts';
import { AUDIENCES, HOSTS, isTokenRefused, REGIONS, regionNamed } from './failures.ts';
import { FREE, LIMITS } from './limits.ts';
import { CAR_NEEDS, registerPartner, SCOPES, SITE_NEEDS, TOKEN_PATH } from './partner.ts';
import * as translate from './translate.ts';

const COMMANDS = ['set_charge_limit', 'start_charge', 'stop_charge', 'set_current'] as const;

/** The owner's steps before a car accepts commands, or is listed at all. */
const interventions: Interventions<unknown> = {
  pair_key: { blocks: COMMANDS, inList: needsKey, url: keyUrl, words: PAIR_KEY_WORDS },
  turn_on_mobile_access: {
    blocks: ['read_battery_soc', 'read_power', 'read_energy', ...COMMANDS],
    isAtDevice: true,
    words: {
      en: {
        title: 'Turn on mobile access',
        text: 'Mobile access is turned off in the car, so no app reaches it. Turn it on at its screen: Controls, Safety, Allow Mobile Access.',
      },
      sv: {
        title: 'Slå på mobilåtkomst',
        text: 'Mobilåtkomst är avstängd i bilen, så ingen app når den. Slå på den på bilens skärm: Reglage, Säkerhet, Tillåt mobilåtkomst.',
      },
    },
  },
};

/** Cars, and energy sites with a battery or solar cells, over Tesla's Fleet API. */
export const tesla = {
  slug: 'tesla',
  name: 'Tesla',
  brands: { names: ['Powerwall'] },
  hosts: HOSTS,
  ...oauth2({
    authorizeUrl: 'https://auth.tesla.com/oauth2/v3/authorize',
    tokenUrl: `https://fleet-auth.prd.vn.cloud.tesla.com${TOKEN_PATH}`,
    scopes: SCOPES,
    // Tesla's documents know no code_challenge.
    pkce: false,
    // What is not granted is withheld.
    authorizeParameters: { prompt_missing_scopes: 'true' },
    // One audience is enough: the token is good in Europe and North America.
    tokenParameters: { audience: AUDIENCES.eu },
    lostLoginErrors: ['login_required'],
    isTokenRefused,
    scopesIn: ({ access }) => wordsIn(claimsIn(access)?.scp),
  }),
  budgets: LIMITS,
  // A car that is looked at more often than it takes to fall asleep never does.
  pace: { active: 300, idle: 1_800, asleep: 3_600 },
  registration: {
    regions: REGIONS,
    register: (session, { domain, region }) =>
      registerPartner(session, { domain, region: regionNamed({ region }) ?? 'eu' }),
  },
  wellKnown: {
    path: '/.well-known/appspecific/com.tesla.3p.public-key.pem',
    setting: 'ELNAV_TESLA_PUBLIC_KEY_FILE',
    contentType: 'application/x-pem-file',
  },
  simulator: () => import('./simulator.ts'),
  pushes: false,
  pollSeconds: 120,
  link,
  list,
  nextSteps,
  kinds: {
    vehicle: kind<translate.CarReading>({
      read: readCar,
      status: translate.carStatus,
      unrecognized: translate.unrecognizedOfCar,
      observedAt: translate.carObservedAt,
      reads: {
        read_battery_soc: translate.carSoc,
        read_power: translate.carPowerW,
        read_energy: translate.carEnergyWh,
      },
      energyOfSession: true,
      controls: {
        charge_limit: { set_charge_limit: setChargeLimit },
        charge_control: { start_charge: startCharge, stop_charge: stopCharge },
        set_current: { set_current: setCurrent },
      },
      limits: translate.carLimits,
      needs: CAR_NEEDS,
      withholds: withheldFromCar,
      whyWithheld,
      interventions,
    }),
    battery: kind<translate.SiteReading>({
      read: readSite,
      readCosts: FREE,
      status: translate.batteryStatus,
      observedAt: translate.siteObservedAt,
      reads: {
        read_battery_soc: translate.siteSoc,
        read_power: translate.batteryPowerW,
        read_production: translate.productionW,
      },
      // Tesla sets reserves and modes of a battery, never its power.
      controls: {},
      needs: SITE_NEEDS,
      withholds: withheldFromSite,
    }),
    solar_inverter: kind<translate.SiteReading>({
      read: readSite,
      readCosts: FREE,
      status: translate.solarStatus,
      observedAt: translate.siteObservedAt,
      reads: { read_production: translate.productionW },
      controls: {},
      needs: SITE_NEEDS,
    }),
    industrial: kind<translate.MeterReading>({
      read: readMeter,
      readCosts: FREE,
      status: ({ site }) => ({ online: site !== undefined }),
      observedAt: ({ site }) => translate.siteObservedAt(site),
      reads: { read_power: translate.houseMeterW },
      controls: {},
      needs: SITE_NEEDS,
    }),
  },
} satisfies Adapter;
