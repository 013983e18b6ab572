import type { Interventions } from '../../adapter/interventions.ts';
import { keyUrl, needsKey, PAIR_KEY_WORDS } from './account.ts';

const COMMANDS = ['set_charge_limit', 'start_charge', 'stop_charge', 'set_current'] as const;

/** What the owner of a car does before it obeys, or is told of at all. */
export const interventions: Interventions<unknown> = {
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
