import type { WordsFor } from '../../adapter/words.ts';

/** How owners of a charging station are asked for what it signs in with. */
export const words = {
  en: {
    identity: {
      label: 'Identity of the charging station',
      hint: 'Often its serial number. In the station’s settings it is called Charge point identity, ChargeBox ID or just ID.',
      fault:
        'Write it as it stands in the station: 1 to 48 letters, digits and * - _ = : + | @ . without blanks.',
    },
    password: {
      label: 'Password of the charging station',
      hint: 'At least 8 characters. In the station’s settings it is called AuthorizationKey, BasicAuthPassword or just password. Choose one and enter the same there.',
    },
    installation_max_a: {
      label: 'Fuse of the charging station, ampere',
      hint: 'The station never takes more than this on each phase. Leave it empty if you do not know.',
    },
    fallback_a: {
      label: 'Fallback current, ampere',
      hint: 'What the station charges with when the connection is lost and a temporary limit has ended: 0 for a pause, or 6 to 32.',
    },
  },
  sv: {
    identity: {
      label: 'Laddstationens identitet',
      hint: 'Ofta serienumret. I stationens inställningar heter den Charge point identity, ChargeBox ID eller bara ID.',
      fault:
        'Skriv den som den står i stationen: 1 till 48 bokstäver, siffror och * - _ = : + | @ . utan mellanslag.',
    },
    password: {
      label: 'Laddstationens lösenord',
      hint: 'Minst 8 tecken. I stationens inställningar heter det AuthorizationKey, BasicAuthPassword eller bara lösenord. Välj ett och skriv in samma där.',
    },
    installation_max_a: {
      label: 'Laddstationens säkring, ampere',
      hint: 'Stationen tar aldrig mer än så här per fas. Lämna tomt om du inte vet.',
    },
    fallback_a: {
      label: 'Reservström, ampere',
      hint: 'Så mycket laddar stationen med när förbindelsen är bruten och en tillfällig gräns har gått ut: 0 för paus, annars 6 till 32.',
    },
  },
} satisfies WordsFor<'identity' | 'password' | 'installation_max_a' | 'fallback_a'>;
