import { type Adapter, kind, type NextStep } from '../../adapter/adapter.ts';
import type { Found } from '../../adapter/device.ts';
import type { Capability } from '../../adapter/fields.ts';
import type { Interventions } from '../../adapter/interventions.ts';
import { limit, oauth2 } from '../../adapter/kit/index.ts';
import { isTokenRefused, link, list, readAppliance, sweep } from './client.ts';
import { delayedStart, startProgram, stopProgram, turnOff, turnOn } from './commands.ts';
import { stream } from './stream.ts';
import * as translate from './translate.ts';
import { abilitiesOf, needsRemoteControl, needsRemoteStart, type Reading } from './translate.ts';

/** Why an appliance does not take every command. */
export function whyWithheld(found: Pick<Found, 'details'>): string | undefined {
  const { off, programs, delays } = abilitiesOf(found);
  const has = [off !== undefined, programs === true, delays === true];
  if (has.every(Boolean)) return undefined;
  if (!has.some(Boolean))
    return 'Home Connect only shows what an appliance of this type does; apps cannot control it';
  if (off === undefined && delays)
    return 'Home Connect starts programmes of this type of appliance; it is switched on and off at the appliance';
  return off === undefined
    ? 'Home Connect only starts and stops this type of appliance, at once'
    : 'Home Connect has no delayed start for this type of appliance';
}

/** A person allows remote start at the appliance. */
const interventions: Interventions<Reading> = {
  allow_remote_start: {
    blocks: ['start_program', 'delayed_start'],
    inReading: needsRemoteStart,
    isAtDevice: true,
    words: {
      en: {
        title: 'Allow remote start',
        text: 'Close the door and press Remote start on the appliance. On some models it is in the settings. It ends when the door is opened, and after a day.',
      },
      sv: {
        title: 'Tillåt fjärrstart',
        text: 'Stäng luckan och tryck på Fjärrstart på maskinen. På en del modeller finns det i inställningarna. Det upphör när luckan öppnas, och efter ett dygn.',
      },
    },
  },
  allow_remote_control: {
    blocks: ['start_program', 'delayed_start'],
    inReading: needsRemoteControl,
    isAtDevice: true,
    words: {
      en: {
        title: 'Allow remote control',
        text: 'Remote control is switched off in the settings of the appliance, under Home Connect. Switch it on there.',
      },
      sv: {
        title: 'Tillåt fjärrstyrning',
        text: 'Fjärrstyrning är avstängd i maskinens inställningar, under Home Connect. Slå på den där.',
      },
    },
  },
};

/** Programmes start only after remote start was allowed at the appliance. */
export function nextSteps(devices: readonly Pick<Found, 'id' | 'details'>[]): readonly NextStep[] {
  const startable = devices.filter((device) => abilitiesOf(device).delays === true).map(({ id }) => id);
  if (startable.length === 0) return [];
  return [
    {
      id: 'allow_remote_start',
      isAtDevice: true,
      url: 'https://www.home-connect.com/',
      words: {
        en: {
          title: 'About Home Connect',
          text: 'Before an app can start a programme: fill the appliance, switch it on, choose a programme, close the door and press Remote start on it. On some models it is in the settings. It ends when the door is opened, and after a day.',
        },
        sv: {
          title: 'Om Home Connect',
          text: 'Innan en app kan starta ett program: fyll maskinen, slå på den, välj program, stäng luckan och tryck på Fjärrstart på maskinen. På en del modeller finns det i inställningarna. Det upphör när luckan öppnas, och efter ett dygn.',
        },
      },
      devices: startable,
    },
  ];
}

const source = 'developer.home-connect.com, rate limiting';
const DAY_SECONDS = 86_400;
/** Is it reached, its status, its settings, its programme. */
const CALLS_PER_READ = 4;

/** Appliances of Bosch, Siemens, Neff and Gaggenau over the Home Connect API. */
export const homeconnect = {
  slug: 'homeconnect',
  name: 'Home Connect',
  brands: { names: ['Bosch', 'Siemens', 'Neff', 'Gaggenau'] },
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
