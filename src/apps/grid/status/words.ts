import { type Language, translated } from '../../../core/language.ts';

const STATUS_WORDS = translated({
  en: {
    title: 'Status',
    description:
      'How elnav is now: its services, prices and production, and the clouds of vendors as seen from here.',
    states: {
      ok: 'Everything works',
      trouble: 'A part of the service does not work as it should',
      down: 'The service is down: the database is away',
    },
    checked: (time: string) => `Checked at ${time}, Swedish time. The page does not update by itself.`,
    service: 'The service',
    works: { ok: 'Works', trouble: 'Trouble', unknown: 'Not known', down: 'Down', off: 'Switched off' },
    parts: {
      grid: 'Grid: areas, prices, accounts',
      connect: 'Connect: devices',
      database: 'Database',
      mail: 'Email',
    },
    connectUnknown: 'it runs apart and is not asked from here',
    figures: 'Prices and production',
    area: 'Area',
    prices: 'Prices until',
    production: 'Production until',
    source: 'Source of the prices',
    until: (day: string, time: string) => `${day} ${time}`,
    missing: 'missing',
    sample: 'sample, not real prices',
    fetchingOff: 'The operator has switched off that new figures are fetched.',
    vendors: 'Clouds of vendors',
    vendorsLead:
      'What the last calls from here say, some of them up to half an hour ago. Vendors have status pages of their own.',
    vendorStates: {
      ok: 'Works',
      trouble: 'Trouble: often cannot be reached',
      blocked: 'Refuses our calls for a while',
      unknown: 'Not known: not called from here',
    },
    json: 'The same as JSON',
  },
  sv: {
    title: 'Driftstatus',
    description:
      'Hur elnav mår just nu: tjänsterna, priser och produktion, och tillverkarnas molntjänster sedda härifrån.',
    states: {
      ok: 'Allt fungerar',
      trouble: 'En del av tjänsten fungerar inte som den ska',
      down: 'Tjänsten ligger nere: databasen är borta',
    },
    checked: (time) => `Kontrollerat kl. ${time}. Sidan uppdateras inte av sig själv.`,
    service: 'Tjänsten',
    works: { ok: 'Fungerar', trouble: 'Problem', unknown: 'Inte känt', down: 'Ligger nere', off: 'Avstängt' },
    parts: {
      grid: 'Grid: områden, priser, konton',
      connect: 'Connect: enheter',
      database: 'Databas',
      mail: 'E-post',
    },
    connectUnknown: 'körs för sig och tillfrågas inte härifrån',
    figures: 'Priser och produktion',
    area: 'Elområde',
    prices: 'Priser till och med',
    production: 'Produktion till och med',
    source: 'Prisernas källa',
    until: (day, time) => `${day} ${time}`,
    missing: 'saknas',
    sample: 'exempel, inte verkliga priser',
    fetchingOff: 'Den som driver tjänsten har stängt av hämtningen av nya siffror.',
    vendors: 'Tillverkarnas molntjänster',
    vendorsLead:
      'Vad de senaste anropen härifrån visar; några är upp till en halvtimme gamla. Tillverkarna har egna sidor om driften.',
    vendorStates: {
      ok: 'Fungerar',
      trouble: 'Problem: går ofta inte att nå',
      blocked: 'Avvisar våra anrop en stund',
      unknown: 'Inte känt: anropas inte härifrån',
    },
    json: 'Samma uppgifter som JSON',
  },
});

export const wordsIn = (language: Language): (typeof STATUS_WORDS)['en'] => STATUS_WORDS[language];
