import type { Language, Words } from '../../../core/language.ts';
import { SWEDISH } from './words-sv.ts';

/** What has been done, as the address of the page that follows names it. */
export type Done = keyof typeof ENGLISH.done;

export type AccountWords = typeof ENGLISH;

const ENGLISH = {
  title: 'Account',
  signedInAs: 'Signed in as',
  tier: 'Plan',
  tiers: { free: 'Free', pro: 'Pro' } as Readonly<Record<string, string>>,
  welcome: 'Welcome. Two steps to your first response: create a key, then call the API with it.',
  since: 'Created',
  console: 'Open the console',
  operator: 'Operator’s pages',
  signOut: 'Sign out',
  fault: 'Please check',
  done: {
    'key-revoked': 'The key is revoked. Calls with it fail from now on.',
    'brand-saved': 'Saved. Your link pages now look like this.',
    'brand-removed': 'Removed. Your link pages have the name elnav again.',
    'password-saved': 'Your new password is saved. You are signed out everywhere else.',
    'sessions-ended': 'You are signed out everywhere else.',
  },

  usage: 'Usage',
  usageText: 'Calls with your keys, on both services together. Days begin at midnight UTC.',
  today: 'Calls today',
  ofLimit: (limit: string) => `of ${limit} a day`,
  limits: {
    per_minute: 'a minute',
    per_hour: 'an hour',
    per_day: 'a day',
    burst: 'at a time',
  },
  limitsLabel: 'Limits on calls',
  limitsHalved: 'Limits on calls now, halved',
  refusedToday: (count: string) => `${count} refused`,
  limitedAs: (tier: string, as: string) => `${tier}, with the limits of ${as}`,
  throttled: (until: string) =>
    `Calls kept coming over the limit, so your limits are halved until ${until}. Wait as long as the header Retry-After says, and they return to normal by themselves.`,
  outcomes: { succeeded: 'Succeeded', refused: 'Refused', failed: 'Failed' },
  outcomesText:
    'Refused: the request was wrong or over a limit. Calls over a limit do not count towards it. Failed: the fault was ours or a vendor’s.',
  plot: (total: string, most: string, day: string) =>
    `Calls on each of the last 30 days, ${total} in all. Most on ${day}: ${most}.`,
  limitLine: (limit: string) => `limit ${limit}`,
  limitAbove: (limit: string) => `The limit of ${limit} calls a day does not fit in the chart.`,
  figures: 'The figures',
  day: 'Day',
  noUsage: 'No calls in the last 30 days.',
  noUsageText: 'Make the first one with one of your keys. It shows here within a second.',

  keys: 'API keys',
  keysText:
    'A key lets a program act for your account. Give each program its own key with only the permissions it needs, and revoke it when the program is no longer used.',
  noKeys: 'No keys yet.',
  noKeysText: 'Make your first one here. All it needs is a label.',
  activeKeys: (count: string, most: string) => `${count} of ${most} active keys`,
  revokedKeys: (count: string) => `Revoked keys (${count})`,
  label: 'Label',
  id: 'Id',
  scopes: 'Permissions',
  created: 'Created',
  lastUsed: 'Last used',
  never: 'never',
  revokedAt: 'Revoked',
  unlabelled: 'without a label',
  revoke: 'Revoke',
  revokeText: 'Programs that use this key stop working at once. A revoked key cannot be restored.',
  revokeNow: 'Revoke key',
  newKey: 'New key',
  labelHint: 'What it is for, such as “home computer”. At most 60 characters.',
  scopesHint: 'Prices, look-ups and planning need none of these.',
  scopeWords: {
    'link:write': 'Connect and disconnect devices',
    'devices:read': 'Read devices',
    'devices:command': 'Control devices',
  },
  makeKey: 'Create key',
  tooMany: (most: string) =>
    `You have ${most} active keys, which is the most. Revoke one that is not used any more.`,
  labelFault: 'Give the key a label of 1 to 60 ordinary characters.',
  scopesFault: 'Choose at least one.',
  oldForm: 'This page had been open too long, or had not loaded fully. Please send it again.',

  use: 'How to use a key',
  useText: 'Send it as the header X-Api-Key, to either service.',
  useExample: 'Put your key in place of the dots',
  documents: 'All calls are described in the documentation:',

  brand: 'Your link pages',
  brandText: 'People who use your app see this name and this colour when they connect their devices.',
  brandName: 'Name',
  brandNameHint: 'Your company or your app. At most 60 characters.',
  brandColor: 'Colour',
  brandPlain: 'Use elnav’s colour',
  brandPrivacy: 'Your privacy policy',
  brandTerms: 'Your terms',
  brandAddressHint: 'Its web address, with https. The link pages lead there.',
  optional: 'optional',
  brandFaults: {
    name: 'Write a name of 1 to 60 ordinary characters.',
    color: 'Write the colour as #rrggbb, such as #0b5d48.',
    privacy_url: 'Write the whole address, such as https://example.com/privacy.',
    terms_url: 'Write the whole address, such as https://example.com/terms.',
  },
  preview: 'Preview',
  previewLight: 'Light mode',
  previewDark: 'Dark mode',
  previewButton: 'Continue',
  previewName: 'Your name',
  save: 'Save',
  remove: 'Remove',

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
};

/** All texts of the account page, but for those of the page that shows a new key. */
export const ACCOUNT_WORDS: Words<AccountWords> = { en: ENGLISH, sv: SWEDISH };

/** The name of a tier; of one that has none here, what the operator wrote. */
export function tierName(tier: string, language: Language): string {
  const { tiers } = ACCOUNT_WORDS[language];
  return Object.hasOwn(tiers, tier) ? (tiers[tier] ?? tier) : tier;
}
