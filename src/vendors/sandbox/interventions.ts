import type { Intervention } from '../../adapter/interventions.ts';
import type { Answer } from './client.ts';
import type { ApplianceReading } from './payloads.ts';

/** Opened and resolved with the condition `remote_start_allowed`. */
export const ALLOW_REMOTE_START: Intervention<Answer<ApplianceReading>> = {
  blocks: ['start_program', 'delayed_start'],
  inReading: (answer) => (answer === null ? null : !answer.remoteStartAllowed),
  isAtDevice: true,
  words: {
    en: {
      title: 'Allow remote start',
      text: 'Press Remote start on the appliance. In the sandbox, set the condition remote_start_allowed to true.',
    },
    sv: {
      title: 'Tillåt fjärrstart',
      text: 'Tryck på Fjärrstart på maskinen. I sandlådan: sätt villkoret remote_start_allowed till true.',
    },
  },
};
