import { Secret } from './secret.ts';
import { oneOf, type Setting, type SettingReader } from './setting.ts';

/** How people sign up and get their mail. */
export interface PeopleSettings {
  /** Whether anybody may make an account; else an administrator alone. */
  readonly isSignUpOpen: boolean;
  /** Undefined: letters are written to files in the data directory. */
  readonly mail: { readonly smtpUrl: Secret; readonly from: string } | undefined;
}

/** Settings of sign-in and its mail. */
export const PEOPLE_SETTINGS: readonly Setting[] = [
  {
    name: 'ELNAV_SIGN_UP',
    fallback: 'open',
    description: 'open: anybody with an email address can create an account; closed: only administrators can',
  },
  {
    name: 'ELNAV_SMTP_URL',
    fallback: '',
    secret: true,
    description:
      'Mail server for sign-in links, such as smtps://user:password@mail.example.com or smtp:// (port 587, with STARTTLS if the server supports it). Without it, emails are written to outbox/ in the data directory',
  },
  {
    name: 'ELNAV_MAIL_FROM',
    fallback: '',
    description: 'Sender address of emails; required with ELNAV_SMTP_URL',
  },
];

const ADDRESS = /^[^\s@<>",;:\\]{1,64}@[a-z0-9.-]{1,253}$/i;

export function readPeopleSettings({ parsed, faults }: SettingReader): PeopleSettings {
  const smtpUrl = parsed('ELNAV_SMTP_URL', parseSmtpUrl);
  const from = parsed('ELNAV_MAIL_FROM', parseAddress);
  if (smtpUrl !== undefined && from === undefined)
    faults.push('ELNAV_MAIL_FROM is required with ELNAV_SMTP_URL');
  return {
    isSignUpOpen: parsed('ELNAV_SIGN_UP', oneOf('open', 'closed')) !== 'closed',
    mail: smtpUrl === undefined || from === undefined ? undefined : { smtpUrl, from },
  };
}

function parseSmtpUrl(value: string): Secret {
  // It may hold a password, so it is not repeated.
  if (
    !URL.canParse(value) ||
    !['smtp:', 'smtps:'].includes(new URL(value).protocol) ||
    new URL(value).host === ''
  )
    throw new Error('must be an address that starts with smtp:// or smtps://');
  return new Secret(value);
}

function parseAddress(value: string): string {
  if (!ADDRESS.test(value))
    throw new Error(`must be an e-mail address such as elnav@example.com, not "${value}"`);
  return value;
}
