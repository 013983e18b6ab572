import type { AppError, ErrorCodeName } from '../../../core/errors.ts';
import { type Language, translated } from '../../../core/language.ts';

/** What an end user is told of a failure: what it was, and what to do next. */
interface FailureWords {
  readonly what: string;
  readonly next: string;
}

interface About {
  /** Name of the vendor, or what stands for it where it is not known. */
  readonly vendor: string;
  /** Who can be asked about the app, in the middle of a sentence. */
  readonly makers: string;
  /** "2 minutes", or what is said where nobody knows. */
  readonly wait: string;
  /** What has to be done at the device first, where the vendor wants that. */
  readonly confirmation?: string | undefined;
  /** The user filled in a form of ours; else signed in at the vendor's own page. */
  readonly isByForm: boolean;
}

type Say = (about: About) => FailureWords;

interface FailureTexts {
  readonly vendor: string;
  readonly someTime: string;
  readonly minutes: (count: number) => string;
  /** What every other code is told as. */
  readonly other: Say;
  readonly codes: Partial<Record<ErrorCodeName, Say>>;
}

const NOT_YOURS_EN = 'It is not your fault, and nothing was changed. Try again in a few minutes.';
const NOT_YOURS_SV = 'Det är inte ditt fel och ingenting har ändrats. Försök igen om några minuter.';

const refusedEn: Say = ({ vendor, isByForm }) => ({
  what: `${vendor} did not accept the sign-in.`,
  next: isByForm
    ? `Check what you entered and type the password again. After several failed attempts ${vendor} may lock the account for a while. If you are not sure of the password, reset it there first.`
    : 'Sign in to continue.',
});
const refusedSv: Say = ({ vendor, isByForm }) => ({
  what: `${vendor} godtog inte inloggningen.`,
  next: isByForm
    ? `Kontrollera det du fyllt i och skriv lösenordet en gång till. Efter flera felaktiga försök kan ${vendor} låsa kontot en stund. Är du osäker på lösenordet, byt det där först.`
    : 'Logga in för att fortsätta.',
});
const unknownEn: Say = () => ({
  what: 'This cannot be connected here.',
  next: 'Go back and choose another brand.',
});
const unknownSv: Say = () => ({
  what: 'Det här går inte att ansluta här.',
  next: 'Gå tillbaka och välj ett annat märke.',
});
const brokenEn: Say = () => ({
  what: 'Something was lost on the way to us.',
  next: 'Open the link from the app and try again.',
});
const brokenSv: Say = () => ({
  what: 'Något försvann på vägen till oss.',
  next: 'Öppna länken från appen och försök igen.',
});
const pausedEn: Say = () => ({
  what: 'The service is briefly unavailable.',
  next: 'Nothing was changed. Try again in a minute.',
});
const pausedSv: Say = () => ({
  what: 'Vi har ett kort avbrott.',
  next: 'Ingenting har ändrats. Försök igen om en minut.',
});

const WORDS = translated<FailureTexts>({
  en: {
    vendor: 'the vendor',
    someTime: 'a few minutes',
    minutes: (count) => (count === 1 ? 'a minute' : `${count} minutes`),
    other: ({ makers }) => ({
      what: 'Something went wrong on our side.',
      next: `Try again. If it keeps happening, contact ${makers} with the number below.`,
    }),
    codes: {
      'link.credentials_refused': refusedEn,
      'vendor.login_expired': refusedEn,
      'link.not_confirmed': ({ vendor, confirmation }) => ({
        what: `${vendor} did not let us in yet.`,
        next: confirmation ?? 'Confirm it at the device, and try again right after.',
      }),
      'link.credentials_invalid': () => ({
        what: 'Something you entered is not right.',
        next: 'Check the fields and try again.',
      }),
      'vendor.unreachable': ({ vendor }) => ({
        what: `${vendor} cannot be reached right now.`,
        next: NOT_YOURS_EN,
      }),
      'vendor.timeout': ({ vendor }) => ({ what: `${vendor} did not answer in time.`, next: NOT_YOURS_EN }),
      'vendor.rate_limited': ({ vendor, wait }) => ({
        what: `${vendor} is busy.`,
        next: `It has had too many requests just now. Try again in ${wait}.`,
      }),
      'vendor.refused': ({ vendor }) => ({
        what: `${vendor} did not let us see your devices.`,
        next: `Check in ${vendor}’s own app that this account has access to the device, and try again.`,
      }),
      'vendor.address_not_permitted': ({ vendor, makers }) => ({
        what: `${vendor} is in a network that we may not call.`,
        next: `Check the address. If it is right, ask ${makers} to permit your network, or for a gateway in it.`,
      }),
      'vendor.answer_invalid': ({ vendor, makers }) => ({
        what: `${vendor} sent a response that we do not understand.`,
        next: `Try again later. If it keeps happening, contact ${makers} with the number below.`,
      }),
      // Also where it filled up while the vendor was asked, so that the vendor still knows of a permission that nobody uses.
      'link.too_many': ({ vendor, makers, isByForm }) => ({
        what: 'The app cannot connect any more accounts.',
        next: `Nothing was connected, and trying again will not help. Contact ${makers}.${
          isByForm ? '' : ` You can take back the permission that you gave in your account at ${vendor}.`
        }`,
      }),
      'oauth.denied': ({ vendor }) => ({
        what: `${vendor} did not give us permission.`,
        next: 'You may have cancelled. Nothing was connected. You can try again.',
      }),
      'oauth.state_invalid': () => ({
        what: 'This sign-in is no longer valid.',
        next: 'It took more than ten minutes, or was started in another browser. Start over in this one.',
      }),
      'oauth.not_configured': ({ vendor, makers }) => ({
        what: `${vendor} cannot be connected here yet.`,
        next: `That brand has not been set up. Contact ${makers}.`,
      }),
      'oauth.unsupported': unknownEn,
      'vendor.unknown': unknownEn,
      'route.not_found': unknownEn,
      'session.invalid': () => ({
        what: 'This link has expired or was already used.',
        next: 'If you have used it, your devices are already in the app. Otherwise, go back to the app and start again there.',
      }),
      'limit.exceeded': ({ wait }) => ({
        what: 'Too many attempts in a short time.',
        next: `To keep your account from being locked, wait ${wait} and try again.`,
      }),
      'limit.busy': pausedEn,
      'origin.foreign': brokenEn,
      'request.malformed': brokenEn,
      'request.media_type': brokenEn,
      'request.too_large': brokenEn,
      'request.timeout': brokenEn,
      'database.unavailable': pausedEn,
      'database.full': pausedEn,
      'server.busy': pausedEn,
      'server.stopping': pausedEn,
    },
  },
  sv: {
    vendor: 'tillverkaren',
    someTime: 'några minuter',
    minutes: (count) => (count === 1 ? 'en minut' : `${count} minuter`),
    other: ({ makers }) => ({
      what: 'Något gick fel hos oss.',
      next: `Försök igen. Om det fortsätter, kontakta ${makers} och uppge numret nedan.`,
    }),
    codes: {
      'link.credentials_refused': refusedSv,
      'vendor.login_expired': refusedSv,
      'link.not_confirmed': ({ vendor, confirmation }) => ({
        what: `${vendor} släppte inte in oss än.`,
        next: confirmation ?? 'Bekräfta på enheten och försök igen strax därefter.',
      }),
      'link.credentials_invalid': () => ({
        what: 'Något av det du fyllt i stämmer inte.',
        next: 'Gå igenom fälten och försök igen.',
      }),
      'vendor.unreachable': ({ vendor }) => ({ what: `Vi når inte ${vendor} just nu.`, next: NOT_YOURS_SV }),
      'vendor.timeout': ({ vendor }) => ({ what: `${vendor} svarade inte i tid.`, next: NOT_YOURS_SV }),
      'vendor.rate_limited': ({ vendor, wait }) => ({
        what: `${vendor} är överbelastad.`,
        next: `Just nu är det för många anrop dit. Försök igen om ${wait}.`,
      }),
      'vendor.refused': ({ vendor }) => ({
        what: `${vendor} lät oss inte se dina enheter.`,
        next: `Kontrollera i appen från ${vendor} att kontot har tillgång till enheten och försök igen.`,
      }),
      'vendor.address_not_permitted': ({ vendor, makers }) => ({
        what: `${vendor} finns i ett nätverk som vi inte får anropa.`,
        next: `Kontrollera adressen. Om den stämmer, be ${makers} att tillåta ditt nätverk eller ordna en gateway i det.`,
      }),
      'vendor.answer_invalid': ({ vendor, makers }) => ({
        what: `${vendor} gav ett svar som vi inte förstår.`,
        next: `Försök igen senare. Om det fortsätter, kontakta ${makers} och uppge numret nedan.`,
      }),
      'link.too_many': ({ vendor, makers, isByForm }) => ({
        what: 'Appen kan inte ansluta fler konton.',
        next: `Ingenting har anslutits, och det hjälper inte att försöka igen. Kontakta ${makers}.${
          isByForm ? '' : ` Tillåtelsen du gav kan du ta tillbaka i ditt konto hos ${vendor}.`
        }`,
      }),
      'oauth.denied': ({ vendor }) => ({
        what: `${vendor} gav oss inte tillåtelse.`,
        next: 'Du kanske avbröt. Ingenting har anslutits. Du kan försöka igen.',
      }),
      'oauth.state_invalid': () => ({
        what: 'Den här inloggningen gäller inte längre.',
        next: 'Den tog mer än tio minuter eller började i en annan webbläsare. Börja om i den här.',
      }),
      'oauth.not_configured': ({ vendor, makers }) => ({
        what: `${vendor} går inte att ansluta här än.`,
        next: `Det märket är inte klart att använda. Kontakta ${makers}.`,
      }),
      'oauth.unsupported': unknownSv,
      'vendor.unknown': unknownSv,
      'route.not_found': unknownSv,
      'session.invalid': () => ({
        what: 'Länken har gått ut eller redan använts.',
        next: 'Om du har använt den finns dina enheter redan i appen. Gå annars tillbaka till appen och börja om där.',
      }),
      'limit.exceeded': ({ wait }) => ({
        what: 'Det blev för många försök på kort tid.',
        next: `För att ditt konto inte ska låsas: vänta ${wait} och försök igen.`,
      }),
      'limit.busy': pausedSv,
      'origin.foreign': brokenSv,
      'request.malformed': brokenSv,
      'request.media_type': brokenSv,
      'request.too_large': brokenSv,
      'request.timeout': brokenSv,
      'database.unavailable': pausedSv,
      'database.full': pausedSv,
      'server.busy': pausedSv,
      'server.stopping': pausedSv,
    },
  },
});

/** A failure as a home owner understands it; codes that they do not meet are told as one. */
export function failureInWords(
  { code, retryAfterSeconds }: Pick<AppError, 'code' | 'retryAfterSeconds'>,
  about: {
    readonly language: Language;
    readonly vendor: string | undefined;
    readonly makers: string;
    readonly isByForm: boolean;
    readonly confirmation?: string | undefined;
  },
): FailureWords {
  const texts: FailureTexts = WORDS[about.language];
  const say = texts.codes[code] ?? texts.other;
  const words = say({
    vendor: about.vendor ?? texts.vendor,
    makers: about.makers,
    wait:
      retryAfterSeconds === undefined
        ? texts.someTime
        : texts.minutes(Math.max(1, Math.ceil(retryAfterSeconds / 60))),
    isByForm: about.isByForm,
    confirmation: about.confirmation,
  });
  return { what: capitalized(words.what), next: words.next };
}

const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
