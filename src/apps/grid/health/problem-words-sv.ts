import type { ProblemWords } from './problem-words.ts';

const PART_NAMES: Readonly<Record<string, string>> = {
  checks: 'Kontrollerna av den här instansen',
  database: 'Databasens storlek',
  instances: 'Instanserna',
  market: 'Priser och produktion',
  vendors: 'Tillverkarna',
  eventLog: 'Händelseloggen',
  subscriptions: 'Prenumerationerna',
};
const READER_NAMES: Readonly<Record<string, string>> = {
  history: 'Historiken',
  charging_sessions: 'Listan över laddningar',
};

const serviceName = (service: string): string => service.slice(0, 1).toUpperCase() + service.slice(1);

export const PROBLEM_WORDS_SV: ProblemWords = {
  database_away: ({ message }) => ({
    sentence: `Databasen går inte att använda: ${message}.`,
    whatToDo:
      'Kontrollera databasservern, dess disk och antalet databasanslutningar. Instanserna ansluter igen av sig själva.',
  }),
  service_gone: ({ service, instance, at }, { time }) => ({
    sentence: `Ingen instans kör ${serviceName(service)}: ${instance} syntes senast ${time(at)} och avslutades inte på rätt sätt.`,
    whatToDo: 'Läs de sista raderna i dess logg och starta den igen.',
  }),
  log_stuck: ({ seconds }, { span }) => ({
    sentence: `Händelser har inte gått att läsa på ${span(seconds)}: prenumerationer, strömmar och historik står stilla.`,
    whatToDo: 'Avsluta transaktionen som har varit öppen så länge på databasservern.',
  }),
  prices_missing: ({ areas }) => ({
    sentence: `Dagens priser saknas för ${areas}; den som frågar efter dem får 503.`,
    whatToDo: 'Se nedan vad varje källa svarade. Hämta dagen på sidan Priser när en källa svarar.',
  }),
  part_unread: ({ part, reason }) => ({
    sentence: `${PART_NAMES[part] ?? part} gick inte att läsa: ${reason}.`,
    whatToDo: 'Ladda om sidan. Om det inte hjälper är databasen långsam eller borta.',
  }),
  instance_gone: ({ instance, at }, { time }) => ({
    sentence: `Instansen ${instance} syntes senast ${time(at)} och avslutades inte på rätt sätt.`,
    whatToDo: 'Om du inte tog bort den: läs de sista raderna i dess logg. Efter en timme glöms den.',
  }),
  check_fails: ({ check, message, instance }) => ({
    sentence: `${check} fungerar inte på ${instance === '' ? 'den här instansen' : instance}: ${message}.`,
    whatToDo: 'Rätta till det som meningen nämner; instansen fortsätter av sig själv.',
  }),
  prices_off: ({ areas }) => ({
    sentence: `Dagens priser saknas för ${areas} och hämtningen är avstängd (ELNAV_FETCH).`,
    whatToDo: 'Slå på hämtningen, om inte priser är onödiga här.',
  }),
  prices_late: ({ areas }) => ({
    sentence: `Morgondagens priser saknas för ${areas}. De publiceras omkring 13.00.`,
    whatToDo: 'Vänta: alla källor frågas om och om igen. Till dess slutar planer i dag.',
  }),
  source_fails: ({ source, sentence, times }) => ({
    sentence: `Källan ${source} har misslyckats ${times === 1 ? 'en gång' : `${times} gånger i rad`}: ${sentence}`,
    whatToDo:
      'Andra källor används under tiden. Om det håller i sig i timmar: kontrollera dess token och dess egen statussida.',
  }),
  production_old: ({ areas }) => ({
    sentence: `Den senaste produktionen i ${areas} är äldre än fyra dagar.`,
    whatToDo: 'Titta på eSetts statussida. eSett frågas igen av sig självt.',
  }),
  vendor_blocked: ({ vendor, until }, { time }) => ({
    sentence: `${vendor} avvisar alla anrop till ${time(until)}.`,
    whatToDo: 'Vänta: inget skickas till dess. Om det kommer tillbaka, be tillverkaren om en högre gräns.',
  }),
  vendor_unreachable: ({ vendor, unreachable, links }, { number }) => ({
    sentence: `${vendor} går inte att nå för ${number(unreachable)} av ${number(links)} anslutningar.`,
    whatToDo: 'Titta på tillverkarens egen statussida. De senast kända tillstånden listas fortfarande.',
  }),
  vendor_refuses: ({ vendor, links }, { number }) => ({
    sentence: `${vendor} avvisar token som just har utfärdats, för ${links === 1 ? 'en anslutning' : `${number(links)} anslutningar`}: en incident hos dem.`,
    whatToDo: 'Vänta: anslutningarna prövas igen, och ingen användare behöver logga in på ett dygn.',
  }),
  vendor_paused: ({ vendor, instance }) => ({
    sentence: `${instance} pausar sina anrop till ${vendor}, eftersom de misslyckades gång på gång.`,
    whatToDo: 'Titta på tillverkarens egen statussida, och på om andra instanser når den.',
  }),
  limit_nearly_used: ({ vendor, limit, used }, { share }) => ({
    sentence: `${share(used)} av gränsen ”${limit}” hos ${vendor} är förbrukad. Läsningen i bakgrunden har stannat.`,
    whatToDo: 'Be tillverkaren om mer och ställ in mängden, eller anslut färre enheter.',
  }),
  reads_late: ({ vendor, late }, { number }) => ({
    sentence: `${number(late)} ${late === 1 ? 'läsning' : 'läsningar'} av enheter från ${vendor} är mer än fem minuter ${late === 1 ? 'försenad' : 'försenade'}.`,
    whatToDo:
      'Om en gräns är förbrukad eller tillverkaren blockerar är det en följd av det. Lägg annars till en instans.',
  }),
  deliveries_wait: ({ vendor, count }, { number }) => ({
    sentence: `${number(count)} webhook-leveranser från ${vendor} väntar på att behandlas.`,
    whatToDo: 'Loggen säger varför den första misslyckas. De är lagrade, så inget går förlorat.',
  }),
  reader_late: ({ reader, seconds }, { span }) => ({
    sentence: `${READER_NAMES[reader] ?? reader} ligger ${span(seconds)} efter händelserna.`,
    whatToDo: 'Instansernas logg säger varför händelser inte kan behandlas.',
  }),
  subscriptions_late: ({ seconds }, { span }) => ({
    sentence: `Händelser når prenumerationer ${span(seconds)} för sent, fast mottagarna svarar.`,
    whatToDo: 'Titta på instansernas händelseloop; annars är en mottagare långsam.',
  }),
  instance_behind: ({ instance, seconds }, { span }) => ({
    sentence: `${instance} ligger ${span(seconds)} efter händelseloggen och läser i stället enheter ur databasen.`,
    whatToDo: 'Titta på dess händelseloop och på databasen. En öppen transaktion håller också tillbaka den.',
  }),
  event_loop_slow: ({ instance, ms }, { number }) => ({
    sentence: `${instance} har mycket att göra: händelseloopen är ${number(ms)} ms sen.`,
    whatToDo: 'Lägg till en instans; läsning, strömmar och laddstationer fördelas på alla.',
  }),
  memory_high: ({ instance, bytes }, { size }) => ({
    sentence: `${instance} använder ${size(bytes)} minne.`,
    whatToDo:
      'Jämför med dess laddstationer och strömmar. Växer det utan dem: starta om den och rapportera det.',
  }),
  versions_differ: ({ versions }) => ({
    sentence: `Instanser av olika versioner kör: ${versions}.`,
    whatToDo: 'Gör klart uppdateringen. Medan den pågår är det som det ska.',
  }),
};
