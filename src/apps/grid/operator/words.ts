import type { Words } from '../../../core/language.ts';
import type { SectionName } from './sections.ts';
import { SWEDISH } from './words-sv.ts';

/** Texts of what all pages of the operator have in common, and of signing in to them. */
export type OperatorWords = typeof ENGLISH;

const ENGLISH = {
  title: 'Operator',
  navigation: 'Operator',
  home: 'Overview',
  sections: {
    accounts: 'Accounts',
    partners: 'Partners',
    bans: 'Bans',
    usage: 'Usage',
    audit: 'Audit trail',
    requests: 'Requests',
    health: 'Health',
    prices: 'Prices',
  } satisfies Record<SectionName, string>,
  overview:
    'You only read until you turn on changes. Every change is confirmed first and recorded in the audit trail.',
  sectionTexts: {
    accounts: 'Accounts with their keys, limits, usage and role.',
    partners: 'Applications for access, to approve or reject.',
    bans: 'IP addresses that are banned after too many wrong keys or tokens.',
    usage: 'Calls by account, key, route and day, and the quotas of calls without a key.',
    audit: 'Every change: who made it, when, and to what.',
    requests: 'Requests by their id.',
    health: 'The state of the service and its vendors.',
    prices: 'Prices that are stored, and back-fills.',
  } satisfies Record<SectionName, string>,
  byToken: 'Signed in with the admin token',
  byAccount: (email: string) => `Signed in as ${email}`,
  until: 'Until',
  signOut: 'Sign out',
  readingOnly: 'You are only reading.',
  turnOn: 'Turn on changes for 15 minutes',
  changesOn: 'Changes are on until',
  turnOff: 'Turn off changes',

  signIn: {
    title: 'Operator sign-in',
    lead: 'For the operator of this service.',
    token: 'Admin token',
    tokenHint: 'The file admin-token in the data directory, or what ELNAV_ADMIN_TOKEN holds.',
    submit: 'Sign in',
    empty: 'Write the admin token.',
    wrong: 'That is not the admin token.',
    account: 'Sign in with your account instead',
    accountText: 'For accounts with the role of an operator.',
    required:
      'Please sign in first. Sessions end after 8 hours, after an hour without use, and when the admin token changes.',
    signedOut: 'You are signed out.',
  },

  confirm: {
    back: 'Do not do it',
    readingOnly: 'You are only reading. Turn on changes first; you come back to this page.',
    old: 'This page had been open too long. Please confirm it again.',
  },

  faultTitle: 'That did not work',
  toHome: 'To the overview',
  requestId: 'Request',
  retry: 'The fault is ours. Please try again in a while.',
  faults: {
    'signin.required': 'Please sign in first.',
    'operator.role_missing':
      'Your role was taken away, or was never given: your account is not an operator’s. Nothing was done and nothing is shown.',
    'operator.token_required': 'Only a session of the admin token may do this. Sign in with the admin token.',
    'operator.reading_only': 'You are only reading. Turn on changes first. Nothing was done.',
    'operator.form_used':
      'This was sent already, by a reload or the back button. It was not done a second time.',
    'client.banned':
      'This IP address is banned for a while, after too many wrong tokens or keys. The right admin token is still accepted, on the sign-in page.',
    'limit.exceeded': 'Too many attempts from this IP address. Please wait a minute.',
    'origin.foreign': 'The form was sent by a page of another site. Nothing was done.',
    'limit.busy': 'Too much is under way at once. Please try again in a while.',
    'request.malformed': 'What was sent cannot be read. Nothing was done.',
    'request.too_large': 'What was sent is too long. Nothing was done.',
    'request.invalid': 'Something in the form or the address is wrong. Nothing was done.',
    'route.not_found': 'There is no such page.',
    'user.not_found': 'There is no such account.',
    'user.email_taken': 'There is an account with this email address already.',
    'key.not_found': 'There is no such key.',
    'ban.not_found': 'There is no such ban. It may have ended.',
    'partner.not_found': 'There is no such application.',
    'partner.decided': 'The application was decided already.',
    'backfill.running': 'A back-fill runs already. Wait until it ends, or cancel it.',
    'backfill.off': 'Fetching is switched off (ELNAV_FETCH). Nothing was done.',
    'backfill.not_found': 'There is no such back-fill.',
  },
};

export const OPERATOR_WORDS: Words<OperatorWords> = { en: ENGLISH, sv: SWEDISH };
