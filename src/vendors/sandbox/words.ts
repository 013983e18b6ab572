import { DEVICE_TYPES, type DeviceType } from '../../adapter/device.ts';
import { DEVICE_WORDS, type WordsFor } from '../../adapter/words.ts';
import type { Language } from '../../core/language.ts';

const choicesIn = (language: Language) =>
  Object.fromEntries(
    DEVICE_TYPES.map((type: DeviceType) => {
      const { one } = DEVICE_WORDS[language][type];
      return [type, `${one.charAt(0).toUpperCase()}${one.slice(1)}`];
    }),
  );

/** Labels of the fields that choose what is simulated. */
export const words = {
  en: {
    device_types: {
      label: 'Devices to make up',
      hint: 'Choose none to get one of each.',
      choices: choicesIn('en'),
    },
    seed: { label: 'Name of the made-up home', hint: 'The same name gives the same devices again.' },
  },
  sv: {
    device_types: {
      label: 'Enheter att hitta på',
      hint: 'Väljer du ingen får du en av varje.',
      choices: choicesIn('sv'),
    },
    seed: { label: 'Namn på det påhittade hemmet', hint: 'Samma namn ger samma enheter igen.' },
  },
} satisfies WordsFor<'device_types' | 'seed'>;
