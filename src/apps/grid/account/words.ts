import { type Language, translated } from '../../../core/language.ts';

type AccountWords = (typeof ACCOUNT_WORDS)['en'];

/** The last change, as the address of the page that follows names it. */
export type Done = keyof AccountWords['done'];

/** All texts of the account page. */
export const ACCOUNT_WORDS = translated({
  en: {
    title: 'Account',
    signedInAs: 'Signed in as',
    tier: 'Plan',
    tiers: { free: 'Free', pro: 'Pro' } as Readonly<Record<string, string>>,
    limitedAs: (tier: string, as: string) => `${tier}, with the limits of ${as}`,
    since: 'Created',
    operator: 'Operator’s pages',
    signOut: 'Sign out',
    fault: 'Please check',
    done: {
      'password-saved': 'Your new password is saved. You are signed out everywhere else.',
      'sessions-ended': 'You are signed out everywhere else.',
    },

    console: 'Devices and programs',
    consoleText: 'The console has everything that belongs to your account besides this sign-in.',
    welcome: 'Welcome. Two steps to your first response: create a key, then call the API with it.',
    firstKey: 'Create your first key',
    openConsole: 'Open the console',
    consolePages: {
      keys: { title: 'API keys', text: 'Create and revoke the keys of your programs.' },
      usage: { title: 'Usage', text: 'Calls by day, route and key, and what is left of your limits.' },
      brand: {
        title: 'Link pages',
        text: 'The name and the colour that your users see when they connect their devices.',
      },
    },
    noConsole:
      'The console is a page of Connect, whose address is not known here. The operator sets it as ELNAV_CONNECT_URL.',

    security: 'Password and sessions',
    securityText:
      'A long sentence that only you would write makes a better password than a short, complicated one.',
    passwordSet: 'You sign in with links sent by email. With a password you do not have to wait for one.',
    password: 'Change password',
    passwordFirst: 'Set a password',
    current: 'Current password',
    next: 'New password',
    nextHint: 'At least 15 characters. Spaces are welcome.',
    currentFault: 'That is not your current password.',
    savePassword: 'Save password',
    sessions: 'Sign out everywhere else',
    sessionsText: 'Ends all your other sessions, such as on a borrowed computer or a lost phone.',
    endSessions: 'Sign out everywhere else',
  },
  sv: {
    title: 'Konto',
    signedInAs: 'Inloggad som',
    tier: 'Abonnemang',
    tiers: { free: 'Gratis', pro: 'Pro' },
    limitedAs: (tier, as) => `${tier}, med samma gränser som ${as}`,
    since: 'Skapat',
    operator: 'Driftens sidor',
    signOut: 'Logga ut',
    fault: 'Se över',
    done: {
      'password-saved': 'Ditt nya lösenord är sparat. Du är utloggad på alla andra enheter.',
      'sessions-ended': 'Du är utloggad på alla andra enheter.',
    },

    console: 'Enheter och program',
    consoleText: 'I konsolen finns allt som hör till ditt konto utom inloggningen.',
    welcome: 'Välkommen. Två steg till ditt första svar: skapa en nyckel och gör ett anrop med den.',
    firstKey: 'Skapa din första nyckel',
    openConsole: 'Öppna konsolen',
    consolePages: {
      keys: { title: 'API-nycklar', text: 'Skapa och spärra dina programs nycklar.' },
      usage: {
        title: 'Användning',
        text: 'Anrop per dag, endpoint och nyckel, och vad som är kvar av dina gränser.',
      },
      brand: {
        title: 'Anslutningssidor',
        text: 'Namnet och färgen som dina användare ser när de ansluter sina enheter.',
      },
    },
    noConsole:
      'Konsolen är en sida i Connect, vars adress inte är känd här. Den som driver tjänsten anger den som ELNAV_CONNECT_URL.',

    security: 'Lösenord och inloggningar',
    securityText:
      'En lång mening som bara du skulle skriva är ett bättre lösenord än ett kort och krångligt.',
    passwordSet: 'Du loggar in med länkar i e-posten. Med ett lösenord slipper du vänta på dem.',
    password: 'Byt lösenord',
    passwordFirst: 'Välj ett lösenord',
    current: 'Nuvarande lösenord',
    next: 'Nytt lösenord',
    nextHint: 'Minst 15 tecken. Mellanslag går bra.',
    currentFault: 'Det är inte ditt nuvarande lösenord.',
    savePassword: 'Spara lösenordet',
    sessions: 'Logga ut på andra enheter',
    sessionsText:
      'Avslutar alla dina andra inloggningar, till exempel på en lånad dator eller en borttappad telefon.',
    endSessions: 'Logga ut på alla andra enheter',
  },
});

/** The name of a tier; of one that has none here, what the operator wrote. */
export function tierName(tier: string, language: Language): string {
  const { tiers } = ACCOUNT_WORDS[language];
  return Object.hasOwn(tiers, tier) ? (tiers[tier] ?? tier) : tier;
}
