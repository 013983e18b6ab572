import { type Adapter, type Found, kind } from '../../adapter/adapter.ts';
import type { Capability } from '../../adapter/capabilities.ts';
import { limit, oauth2 } from '../../adapter/kit/index.ts';
import { isTokenRefused } from './api.ts';
import { delayedStart, startProgram, stopProgram, turnOff, turnOn } from './commands.ts';
import { link, list, readAppliance, sweep } from './reading.ts';
import { stream } from './stream.ts';
import * as translate from './translate.ts';
import { interventions, nextSteps, whyWithheld } from './words.ts';

const source = 'developer.home-connect.com, rate limiting';
const DAY_SECONDS = 86_400;
/** Is it reached, its status, its settings, its programme. */
const CALLS_PER_READ = 4;

/** Appliances of Bosch, Siemens, Neff and Gaggenau over the Home Connect API. */
export const homeconnect = {
  slug: 'homeconnect',
  name: 'Home Connect',
  ...oauth2({
    authorizeUrl: 'https://api.home-connect.com/security/oauth/authorize',
    tokenUrl: 'https://api.home-connect.com/security/oauth/token',
    scopes: ['IdentifyAppliance', 'Monitor', 'Settings', 'Control'],
    // An app may have it switched off at Home Connect.
    pkce: false,
    isTokenRefused,
  }),
  hosts: { api: 'https://api.home-connect.com' },
  budgets: [
    limit('day', { calls: 1_000, seconds: DAY_SECONDS, reserve: 0.4, source }),
    limit('minute', { calls: 50, seconds: 60, source }),
    limit('burst', {
      calls: 20,
      seconds: 2,
      reserve: 0,
      source: `${source}: 10 in a second on average, 20 at once`,
    }),
    limit('starts', { calls: 5, seconds: 60, for: [], reserve: 0, source }),
    limit('stops', { calls: 5, seconds: 60, for: [], reserve: 0, source }),
    limit('errors', {
      errors: 10,
      seconds: 600,
      reserve: 0.4,
      source: `${source}: 10 errors in a row in 10 minutes; here whether in a row or not`,
    }),
    limit('sign_ins', {
      calls: 100,
      seconds: DAY_SECONDS,
      for: ['login'],
      reserve: 0,
      source: `${source}: token refreshes`,
    }),
  ],
  // The stream reports what changes.
  pace: { active: 600, idle: 3_600, asleep: 7_200 },
  pushes: true,
  // The stream reports what changes in between; asking more often would take the calls of commands.
  pollSeconds: 1_800,
  stream,
  simulator: () => import('./simulator.ts'),
  link,
  list,
  sweep,
  nextSteps,
  kinds: {
    smart_home_appliance: kind<translate.Reading>({
      read: readAppliance,
      readCosts: { day: CALLS_PER_READ, minute: CALLS_PER_READ },
      status: translate.statusOf,
      unrecognized: translate.unrecognizedIn,
      reads: { read_temperature: translate.temperatureOf },
      controls: {
        on_off: { turn_on: turnOn, turn_off: turnOff },
        program_control: { start_program: startProgram, stop_program: stopProgram },
        delayed_start: { delayed_start: delayedStart },
      },
      withholds,
      whyWithheld,
      interventions,
    }),
  },
} satisfies Adapter;

/** What Home Connect has nothing for on this type of appliance. */
function withholds(found: Found): readonly Capability[] {
  const { off, programs, delays } = translate.abilitiesOf(found);
  return [
    ...(found.details?.type === 'Oven' ? [] : ['read_temperature' as const]),
    ...(off === undefined ? ['on_off' as const] : []),
    ...(programs ? [] : ['program_control' as const]),
    ...(delays ? [] : ['delayed_start' as const]),
  ];
}
