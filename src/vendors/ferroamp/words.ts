import type { Static } from 'typebox';
import type { WordsFor } from '../../adapter/words.ts';
import type { Credentials } from './hub.ts';

export const words = {
  en: {
    host: {
      label: 'Address of the EnergyHub',
      hint: 'Its IP address in your home network, such as 192.168.1.40. Your router lists it.',
      fault: 'Enter an address such as 192.168.1.40, without http://.',
    },
    username: {
      label: 'User name of the External API',
      hint: 'Ferroamp switches the API on and gives you the user name and the password: ask their support for "External API, MQTT".',
    },
    password: { label: 'Password of the External API' },
    port: { label: 'Port', hint: '1883, unless you have changed it.' },
  },
  sv: {
    host: {
      label: 'EnergyHubens adress',
      hint: 'Dess IP-adress i ditt hemnät, till exempel 192.168.1.40. Den står i din router.',
      fault: 'Skriv en adress som 192.168.1.40, utan http://.',
    },
    username: {
      label: 'Användarnamn för External API',
      hint: 'Ferroamp slår på API:et och ger dig användarnamn och lösenord: be deras support om ”External API, MQTT”.',
    },
    password: { label: 'Lösenord för External API' },
    port: { label: 'Port', hint: '1883, om du inte har ändrat den.' },
  },
} satisfies WordsFor<keyof Static<typeof Credentials>>;
