import type { Intervention } from '../../adapter/interventions.ts';

/** myUplink says only of a change that it is not permitted, and nothing of it in a reading. */
export const BUY_SUBSCRIPTION: Intervention<unknown> = {
  blocks: ['set_temperature', 'turn_on', 'turn_off'],
  url: 'https://myuplink.com/',
  words: {
    en: {
      title: 'Get Premium Manage',
      text: 'To change settings from other apps, myUplink wants the subscription Premium Manage. You buy it in the myUplink app.',
    },
    sv: {
      title: 'Skaffa Premium Manage',
      text: 'För att ändra inställningar från andra appar kräver myUplink abonnemanget Premium Manage. Det köps i myUplink-appen.',
    },
  },
};
