import type * as english from '../en/usage.ts';
import { plural } from '../plural.ts';

export const usage: typeof english.usage = {
  title: 'Användning',
  text: 'Anrop till båda tjänsterna. Dygnen börjar vid midnatt UTC.',
  left: 'Det här är kvar nu',
  leftText: 'Alla nycklar delar på gränserna. Konsolen har egna och förbrukar inget av dem.',
  limits: { burst: 'Samtidigt', minute: 'Den här minuten', hour: 'Den här timmen', day: 'I dag' },
  leftOf: (left, calls) => `${left} av ${calls}`,
  moreIn: (time) => `fler om ${time}`,
  whole: 'inget är förbrukat',
  seconds: (count) => plural(count, 'sekund', 'sekunder'),
  halved: (until) =>
    `Anropen fortsatte över gränserna, så de är halverade till ${until}. Vänta så länge som headern Retry-After anger, så återgår de av sig själva.`,
  tier: (tier) => `Abonnemang: ${tier}.`,
  tiers: { free: 'Gratis', pro: 'Pro' },
  calls: 'Anrop',
  span: 'Dygn',
  spans: { 7: '7 dygn', 30: '30 dygn', 90: '90 dygn' },
  outcomes: { succeeded: 'Lyckade', refused: 'Nekade', failed: 'Misslyckade' },
  outcomesText:
    'Nekade: anropet var felaktigt eller över en gräns. Misslyckade: felet låg hos oss eller hos en tillverkare. Anrop över en gräns räknas inte mot den.',
  plot: (total, most, day) => `Anrop per dygn, totalt ${total}. Flest den ${day}: ${most}.`,
  figures: 'Dygnen som tabell',
  day: 'Dygn',
  connect: 'Connect',
  grid: 'Grid',
  routes: 'Per adress',
  route: 'Adress',
  keys: 'Per nyckel',
  key: 'Nyckel',
  console: 'Konsolen',
  unknownKey: 'Tidigare nyckel',
  empty: 'Inga anrop de här dygnen',
  emptyText: 'Gör ett med en av dina nycklar. Det syns här inom några sekunder.',
};
