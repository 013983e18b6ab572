import type { Secret } from '../secret.ts';
import { email, oneOf, secretUrl } from './kinds.ts';
import { type Declared, optional, setting, type Values } from './setting.ts';

/** Settings of sign-up and email. */
export interface PeopleSettings {
  /** Whether everybody may create an account, or only an administrator. */
  readonly isSignUpOpen: boolean;
  /** Undefined: emails are written to files in the data directory. */
  readonly mail: { readonly smtpUrl: Secret; readonly from: string } | undefined;
}

/** Settings of sign-in and its mail. */
export const PEOPLE = {
  signUp: setting('ELNAV_SIGN_UP', oneOf('open', 'closed'), {
    fallback: 'open',
    service: 'grid',
    description: 'open: anybody with an email address can create an account; closed: only administrators can',
  }),
  smtpUrl: optional('ELNAV_SMTP_URL', secretUrl(['smtp', 'smtps'], { needsHost: true }), {
    service: 'grid',
    description:
      'Mail server for sign-in links, such as smtps://user:password@mail.example.com or smtp:// (port 587, with STARTTLS if the server supports it). Without it, emails are written to outbox/ in the data directory',
  }),
  mailFrom: optional('ELNAV_MAIL_FROM', email, {
    service: 'grid',
    requiredWith: 'ELNAV_SMTP_URL',
    description: 'Sender address of emails',
  }),
} satisfies Declared;

export function peopleSettings({ signUp, smtpUrl, mailFrom }: Values<typeof PEOPLE>): PeopleSettings {
  return {
    isSignUpOpen: signUp === 'open',
    mail: smtpUrl === undefined || mailFrom === undefined ? undefined : { smtpUrl, from: mailFrom },
  };
}
