import type { OperatorWords } from './words.ts';

export const SWEDISH: OperatorWords = {
  title: 'Drift',
  navigation: 'Drift',
  home: 'Översikt',
  sections: {
    accounts: 'Konton',
    partners: 'Partner',
    bans: 'Spärrade adresser',
    usage: 'Användning',
    audit: 'Ändringslogg',
    requests: 'Anrop',
    health: 'Hälsa',
    prices: 'Priser',
  },
  overview:
    'Du kan bara läsa tills du tillåter ändringar. Varje ändring bekräftas först och står i ändringsloggen.',
  sectionTexts: {
    accounts: 'Konton med nycklar, gränser, användning och roll.',
    partners: 'Ansökningar om åtkomst, att godkänna eller avslå.',
    bans: 'IP-adresser som är spärrade efter för många felaktiga nycklar eller tokens.',
    usage: 'Anrop per konto, nyckel, väg och dygn, och kvoter för anrop utan nyckel.',
    audit: 'Varje ändring: vem som gjorde den, när och på vad.',
    requests: 'Anrop efter deras id.',
    health: 'Hur tjänsten och tillverkarna mår.',
    prices: 'Lagrade priser, och hämtningar i efterhand.',
  },
  byToken: 'Inloggad med admin-token',
  byAccount: (email) => `Inloggad som ${email}`,
  until: 'Till',
  signOut: 'Logga ut',
  readingOnly: 'Du kan bara läsa.',
  turnOn: 'Tillåt ändringar i 15 minuter',
  changesOn: 'Ändringar är tillåtna till',
  turnOff: 'Sluta tillåta ändringar',

  signIn: {
    title: 'Inloggning för driften',
    lead: 'För den som driver tjänsten.',
    token: 'Admin-token',
    tokenHint: 'Filen admin-token i datakatalogen, eller värdet av ELNAV_ADMIN_TOKEN.',
    submit: 'Logga in',
    empty: 'Skriv admin-token.',
    wrong: 'Det är inte rätt admin-token.',
    account: 'Logga in med ditt konto i stället',
    accountText: 'För konton med rollen operatör.',
    required:
      'Logga in först. En inloggning upphör efter 8 timmar, efter en timme utan användning och när admin-token byts.',
    signedOut: 'Du är utloggad.',
  },

  confirm: {
    back: 'Gör det inte',
    readingOnly: 'Du kan bara läsa. Tillåt ändringar först, så kommer du tillbaka hit.',
    old: 'Sidan hade varit öppen för länge. Bekräfta igen.',
  },

  faultTitle: 'Det gick inte',
  toHome: 'Till översikten',
  requestId: 'Anrop',
  retry: 'Felet ligger hos oss. Försök igen om en stund.',
  faults: {
    'signin.required': 'Logga in först.',
    'operator.role_missing':
      'Din roll har tagits bort, eller gavs aldrig: ditt konto är inte operatör. Inget har gjorts och inget visas.',
    'operator.token_required':
      'Det här går bara att göra inloggad med admin-token. Logga in med admin-token.',
    'operator.reading_only': 'Du kan bara läsa. Tillåt ändringar först. Inget har gjorts.',
    'operator.form_used':
      'Det här har redan skickats, genom att sidan laddades om eller via bakåtknappen. Det gjordes inte en gång till.',
    'client.banned':
      'IP-adressen är spärrad en tid efter för många felaktiga tokens eller nycklar. Rätt admin-token godtas ändå på inloggningssidan.',
    'limit.exceeded': 'För många försök från IP-adressen. Vänta en minut.',
    'origin.foreign': 'Formuläret skickades från en sida på en annan webbplats. Inget har gjorts.',
    'limit.busy': 'Just nu pågår för mycket på en gång. Försök igen om en stund.',
    'request.malformed': 'Det som skickades går inte att läsa. Inget har gjorts.',
    'request.too_large': 'Det som skickades är för långt. Inget har gjorts.',
    'request.invalid': 'Något i formuläret eller adressen är fel. Inget har gjorts.',
    'route.not_found': 'Sidan finns inte.',
    'user.not_found': 'Kontot finns inte.',
    'user.email_taken': 'Det finns redan ett konto med den e-postadressen.',
    'key.not_found': 'Nyckeln finns inte.',
    'ban.not_found': 'Spärren finns inte. Den kan ha upphört.',
    'partner.not_found': 'Ansökan finns inte.',
    'partner.decided': 'Ansökan är redan avgjord.',
    'backfill.running': 'En hämtning i efterhand pågår redan. Vänta tills den är klar, eller avbryt den.',
    'backfill.off': 'Hämtningen är avstängd (ELNAV_FETCH). Inget har gjorts.',
    'backfill.not_found': 'Hämtningen finns inte.',
  },
};
