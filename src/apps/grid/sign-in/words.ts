import { translated } from '../../../core/language.ts';

/** What the pages of signing in say; `errors` and `infos` by what stands in their addresses. */
export const SIGN_IN_WORDS = translated({
  en: {
    signIn: 'Sign in',
    signUp: 'Create an account',
    email: 'Email address',
    password: 'Password',
    name: 'Name',
    optional: 'optional',
    show: 'Show',
    hide: 'Hide',
    showPassword: 'Show the password',
    hidePassword: 'Hide the password',
    or: 'or',
    sendLink: 'Email me a sign-in link',
    sendLinkHint:
      'Forgot your password, or have none? The link signs you in: only the address above is needed.',
    noAccount: 'No account yet?',
    hasAccount: 'Have an account already?',
    passwordHint:
      'At least 15 characters. A few words that do not belong together are easy to remember. Leave it empty to sign in with emailed links.',
    signUpLead: 'With an account you get API keys and higher limits. It is free.',
    closed: 'Sign-up is closed. Ask the operator of this service for an account.',
    sentTitle: 'Check your email',
    sent: 'If the address is right, an email with a link is on its way. The link works once, within 15 minutes.',
    sentHint: 'Nothing after a minute? Look in your junk mail, or check the address and try again.',
    outboxHere: (folder: string) =>
      `This service has no mail server: the email is a file in ${folder}. The newest one has the link.`,
    outboxElsewhere:
      'This service has no mail server yet, so the email does not reach you. Ask the person who runs it for your link.',
    back: 'Back to sign-in',
    linkTitle: 'Sign in to elnav',
    linkLead: 'You are about to sign in as',
    linkMakes: 'An account will be created for',
    linkButton: 'Sign in',
    linkMakesButton: 'Create the account',
    otherBrowser: 'This link was requested in another browser. Continue only if you requested it yourself.',
    losesPassword:
      'The password chosen at sign-up only counts in the browser where it was chosen. You can set a new one on your account page.',
    linkInvalidTitle: 'This link has expired or was already used',
    linkInvalid:
      'A sign-in link works once, within 15 minutes. It may have been used already, or it is too old.',
    newLink: 'Get a new link',
    faultTitle: 'That did not work',
    foreign:
      'This was sent by a page of another site, so nothing was done. Open the page here and try again.',
    retry: 'Something is wrong on our side. Try again in a moment.',
    home: 'To the front page',
    requestId: 'Number for support',
    infos: {
      signed_out: 'You are signed out.',
      required: 'Sign in to continue.',
    },
    errors: {
      other: 'That did not work. Please try again.',
      'signin.refused':
        'The email address or the password is wrong. You can also have a sign-in link emailed to you.',
      'limit.exceeded': 'Too many attempts. Wait a while, then try again.',
      'limit.busy': 'Many people are signing in right now. Try again in a moment.',
      'email.missing': 'Fill in your email address.',
      'email.value_error': 'The email address is not valid. Check it, and try again.',
      'password.missing': 'Fill in your password.',
      'password.short': 'The password is too short. It needs at least 15 characters.',
      'password.long': 'The password is too long. It can be at most 1,024 bytes.',
      'password.common':
        'This password is easy to guess: it is a common phrase, a row of keys, a repetition, or your own name. A few words that do not belong together are better.',
      invalid: 'Something in the form is not right. Check it, and try again.',
    },
  },
  sv: {
    signIn: 'Logga in',
    signUp: 'Skapa konto',
    email: 'E-postadress',
    password: 'Lösenord',
    name: 'Namn',
    optional: 'valfritt',
    show: 'Visa',
    hide: 'Dölj',
    showPassword: 'Visa lösenordet',
    hidePassword: 'Dölj lösenordet',
    or: 'eller',
    sendLink: 'Mejla mig en inloggningslänk',
    sendLinkHint: 'Glömt lösenordet, eller har du inget? Länken loggar in dig: bara adressen ovan behövs.',
    noAccount: 'Inget konto ännu?',
    hasAccount: 'Har du redan ett konto?',
    passwordHint:
      'Minst 15 tecken. Några ord som inte hör ihop är lätta att minnas. Lämna tomt för att logga in med länkar i e-posten.',
    signUpLead: 'Med ett konto får du API-nycklar och högre gränser. Det är gratis.',
    closed: 'Det går inte att registrera sig här. Be den som driver tjänsten om ett konto.',
    sentTitle: 'Kolla din e-post',
    sent: 'Om adressen stämmer är ett mejl med en länk på väg. Länken fungerar en gång, inom 15 minuter.',
    sentHint:
      'Har inget kommit efter någon minut? Titta i skräpposten, eller kontrollera adressen och försök igen.',
    outboxHere: (folder: string) =>
      `Tjänsten har ingen e-postserver: mejlet är en fil i ${folder}. I den nyaste finns länken.`,
    outboxElsewhere:
      'Tjänsten har ingen e-postserver ännu, så mejlet når dig inte. Be den som driver tjänsten om din länk.',
    back: 'Tillbaka till inloggningen',
    linkTitle: 'Logga in på elnav',
    linkLead: 'Du är på väg att logga in som',
    linkMakes: 'Ett konto skapas för',
    linkButton: 'Logga in',
    linkMakesButton: 'Skapa kontot',
    otherBrowser: 'Länken begärdes i en annan webbläsare. Gå bara vidare om det var du som begärde den.',
    losesPassword:
      'Lösenordet som valdes vid registreringen gäller bara i den webbläsare där det valdes. Du kan välja ett på din kontosida.',
    linkInvalidTitle: 'Länken fungerar inte längre',
    linkInvalid:
      'En inloggningslänk fungerar en gång, inom 15 minuter. Den kan redan vara använd, eller så är den för gammal.',
    newLink: 'Få en ny länk',
    faultTitle: 'Det gick inte',
    foreign:
      'Det här skickades från en sida på en annan webbplats, så inget har gjorts. Öppna sidan här och försök igen.',
    retry: 'Något är fel hos oss. Försök igen om en stund.',
    home: 'Till startsidan',
    requestId: 'Nummer för support',
    infos: {
      signed_out: 'Du är utloggad.',
      required: 'Logga in för att gå vidare.',
    },
    errors: {
      other: 'Det gick inte. Försök igen.',
      'signin.refused':
        'E-postadressen eller lösenordet är fel. Du kan också få en inloggningslänk med e-post.',
      'limit.exceeded': 'För många försök. Vänta en stund och försök sedan igen.',
      'limit.busy': 'Många loggar in just nu. Försök igen om en stund.',
      'email.missing': 'Fyll i din e-postadress.',
      'email.value_error': 'E-postadressen är inte giltig. Kontrollera den och försök igen.',
      'password.missing': 'Fyll i ditt lösenord.',
      'password.short': 'Lösenordet är för kort. Det behöver minst 15 tecken.',
      'password.long': 'Lösenordet är för långt. Det får ha högst 1 024 byte.',
      'password.common':
        'Lösenordet är lätt att gissa: en vanlig fras, en rad tangenter, en upprepning eller ditt eget namn. Några ord som inte hör ihop är bättre.',
      invalid: 'Något i formuläret stämmer inte. Kontrollera det och försök igen.',
    },
  },
});
