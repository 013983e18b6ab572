import type * as english from '../en/keys.ts';

export const keys: typeof english.keys = {
  title: 'API-nycklar',
  text: 'Med en nyckel kan ett program använda ditt konto. Ge varje program en egen nyckel med bara de behörigheter som behövs, och spärra den när programmet inte längre används. Konsolen själv använder ingen nyckel.',
  make: 'Ny nyckel',
  save: 'Skapa nyckel',
  notMade: 'Nyckeln skapades inte',
  failed: 'Det här gick inte',
  empty: 'Inga nycklar än',
  emptyText: 'Skapa en till det första programmet som ska anropa API:et.',
  label: 'Namn',
  labelHint: 'Vad den är till för, till exempel ”hemdatorn”. Högst 60 tecken.',
  labelFault: 'Ge nyckeln ett namn på 1 till 60 vanliga tecken.',
  scopes: 'Behörigheter',
  scopesHint: 'Priser, uppslag och planering kräver ingen av dessa.',
  scopesFault: 'Välj minst en.',
  scopeWords: {
    'link:write': 'Ansluta och koppla bort enheter',
    'devices:read': 'Läsa av enheter',
    'devices:command': 'Styra enheter',
  },
  scopeTexts: {
    'link:write':
      'Ansluta användares enheter och ta bort anslutningar, ta emot händelser, hantera gateways och bestämma anslutningssidornas namn och färg.',
    'devices:read':
      'Se anslutningar, enheter, deras tillstånd, historik och laddningar, och följa händelser.',
    'devices:command':
      'Skicka kommandon till enheter, till exempel ladda en bil eller ställa in en temperatur.',
  },
  made: 'Din nya nyckel',
  madeText:
    'Den visas bara den här gången. Kopiera den dit där ditt program läser den, eller till en lösenordshanterare. elnav sparar bara det som behövs för att känna igen den.',
  copyKey: 'Kopiera nyckeln',
  tryIt: 'Prova den: svaret säger vems nyckeln är och vad som är kvar av dina gränser.',
  copyCommand: 'Kopiera kommandot',
  active: 'Aktiv',
  revoked: 'Spärrad',
  key: 'Nyckel',
  createdAt: 'Skapad',
  createdBy: {
    user: (at) => `${at}, av dig`,
    admin: (at) => `${at}, av driftansvarig`,
    setup: (at) => `${at}, när servern sattes upp`,
  },
  lastUsed: 'Senast använd',
  never: 'Aldrig',
  revokedAt: 'Spärrad',
  revoke: 'Spärra',
  revokeTitle: 'Spärra nyckeln?',
  revokeText: 'Program som använder den nekas direkt. En spärrad nyckel går inte att öppna igen.',
  revokeAct: 'Spärra den',
  isRevoked: (label) => `Nyckeln ${label} är spärrad. Anrop med den nekas från och med nu.`,
};
