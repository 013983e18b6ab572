import type { WordsFor } from '../../adapter/words.ts';

/** Labels of the fields in which owners of a charging station enter its credentials. */
export const words = {
  en: {
    identity: {
      label: 'Charger identity',
      hint: 'Often the serial number. In the charger’s settings it is called Charge point identity, ChargeBox ID or just ID.',
      fault:
        'Enter it as it is shown in the charger: 1 to 48 letters, digits and * - _ = : + | @ . without spaces.',
    },
    password: {
      label: 'Charger password',
      hint: 'At least 8 characters. In the charger’s settings it is called AuthorizationKey, BasicAuthPassword or just password. Choose one and enter the same there.',
    },
    installation_max_a: {
      label: 'Fuse of the charging station, ampere',
      hint: 'The station never takes more than this on each phase. Leave it empty if you do not know.',
    },
    phases: {
      label: 'Phases',
      hint: 'How many phases the station is connected with: 1, 2 or 3. Leave it empty if you do not know.',
    },
    fallback_a: {
      label: 'Fallback current, ampere',
      hint: 'What the station charges with when the connection is lost and a temporary limit has ended: 0 for a pause, or 6 to 32.',
    },
  },
  sv: {
    identity: {
      label: 'Laddboxens identitet',
      hint: 'Ofta serienumret. I laddboxens inställningar heter den Charge point identity, ChargeBox ID eller bara ID.',
      fault:
        'Skriv den som den står i laddboxen: 1 till 48 bokstäver, siffror och * - _ = : + | @ . utan mellanslag.',
    },
    password: {
      label: 'Laddboxens lösenord',
      hint: 'Minst 8 tecken. I laddboxens inställningar heter det AuthorizationKey, BasicAuthPassword eller bara lösenord. Välj ett och skriv in samma där.',
    },
    installation_max_a: {
      label: 'Laddstationens säkring, ampere',
      hint: 'Stationen tar aldrig mer än så här per fas. Lämna tomt om du inte vet.',
    },
    phases: {
      label: 'Antal faser',
      hint: 'Hur många faser stationen är ansluten med: 1, 2 eller 3. Lämna tomt om du inte vet.',
    },
    fallback_a: {
      label: 'Reservström, ampere',
      hint: 'Så mycket laddar stationen med när förbindelsen är bruten och en tillfällig gräns har gått ut: 0 för paus, annars 6 till 32.',
    },
  },
} satisfies WordsFor<'identity' | 'password' | 'installation_max_a' | 'phases' | 'fallback_a'>;
