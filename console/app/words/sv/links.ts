import type * as english from '../en/links.ts';
import { plural } from '../plural.ts';

export const links: typeof english.links = {
  title: 'Anslutningar',
  text: 'En anslutning är en användares konto hos en tillverkare. Genom det läser och styr elnav enheter.',
  all: 'Alla anslutningar',
  user: 'Användare',
  vendor: 'Tillverkare',
  status: 'Status',
  needy: 'Kräver åtgärd',
  statuses: { active: 'Ansluten', needs_relink: 'Kräver ny inloggning', unreachable: 'Går inte att nå' },
  meaning: {
    needs_relink: 'Enheterna läses och styrs inte förrän användaren har loggat in igen.',
    unreachable: 'Tillverkaren eller enheten svarar inte som den ska. elnav fortsätter att försöka.',
  },
  since: (ago) => `Det började ${ago}.`,
  reason: 'Orsak:',
  missing: (permissions) => `Användaren har inte medgett: ${permissions}`,
  removedBy: (at) => `Den tas bort senast ${at}.`,
  devices: 'Enheter',
  lastRead: 'Senast läst',
  never: 'Aldrig',
  area: 'Elområde',
  areaOf: (user, vendor) => `Elområde för ${user} hos ${vendor}`,
  areas: { SE1: 'SE1 Luleå', SE2: 'SE2 Sundsvall', SE3: 'SE3 Stockholm', SE4: 'SE4 Malmö' },
  noArea: 'Inte angivet',
  stored: 'Sparat',
  count: (shown, all) =>
    shown === all
      ? plural(all, 'anslutning', 'anslutningar')
      : `${shown} av ${plural(all, 'anslutning', 'anslutningar')}`,
  empty: 'Inga anslutningar än',
  emptyText: 'Skapa en sida med formuläret ovan och låt användaren öppna den.',
  noMatch: 'Ingen anslutning passar filtret',
  noMatchText: 'Välj en annan status eller användare.',
  remove: 'Ta bort',
  removeOf: (user, vendor) => `Ta bort anslutningen för ${user} hos ${vendor}`,
  removeAsk: (user, vendor) => `Ta bort anslutningen för ${user} hos ${vendor}?`,
  removeText: (count) =>
    `elnav glömmer inloggningen och ${plural(count, 'enhet', 'enheter')}, och avslutar åtkomsten hos tillverkaren där det går. För att få tillbaka dem måste användaren ansluta igen.`,
  removing: 'Tar bort…',
  keep: 'Behåll',
  notRemoved: 'Anslutningen har inte tagits bort',
  removed: (user, vendor) => `Anslutningen för ${user} hos ${vendor} är borttagen.`,
  waits: (user, vendor) => `Anslutningen för ${user} hos ${vendor} är inte borttagen än`,
  waitsText: (at) =>
    `En enhet måste först återgå till automatisk drift, och går inte att nå. elnav fortsätter att försöka och tar bort anslutningen senast ${at}.`,
  toLinks: 'Till anslutningarna',
};

export const connect: typeof english.connect = {
  title: 'Anslut en enhet',
  text: 'Skapar en sida där användaren loggar in hos en tillverkare. Den kan användas en gång, inom 24 timmar.',
  user: 'Användare (user_ref)',
  userHint: 'Din egen beteckning på användaren.',
  userMissing: 'Ange din egen beteckning på användaren.',
  vendor: 'Tillverkare (valfritt)',
  userChooses: 'Användaren väljer',
  area: 'Elområde (valfritt)',
  noArea: 'Inte angivet',
  redirect: 'Återvändsadress (valfritt)',
  redirectHint: 'Dit användaren skickas efteråt: https, eller http på localhost.',
  begin: 'Skapa sidan',
  failed: 'Sidan kunde inte skapas',
  pageOf: 'Sida för',
  open: 'Låt användaren öppna adressen, eller läsa av koden med en telefon.',
  qr: 'QR-kod för adressen',
  copy: 'Kopiera adressen',
  statuses: {
    open: 'Öppen: användaren har inte anslutit än',
    linked: 'Ansluten',
    failed: 'Användaren har inte anslutit',
    expired: 'Har gått ut',
  },
  until: (at) => `Till ${at}.`,
  failedText: (at) => `Samma adress kan öppnas igen till ${at}.`,
  another: 'Skapa en sida till',
};
