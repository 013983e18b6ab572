import type { Found, NextStep } from '../../adapter/adapter.ts';
import type { Interventions } from '../../adapter/interventions.ts';
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

/** What somebody does at the appliance before apps may start a programme. */
export const interventions: Interventions<Reading> = {
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

/** Programmes start only where somebody has allowed it at the appliance. */
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
