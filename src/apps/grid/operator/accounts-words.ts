import type { Words } from '../../../core/language.ts';
import { SWEDISH } from './accounts-words-sv.ts';

/** Texts of the lists and pages of accounts. */
export type AccountsWords = typeof ENGLISH;

const ENGLISH = {
  title: 'Accounts',
  search: 'Search',
  searchLabel: 'Email address, name or id',
  tier: 'Tier',
  allTiers: 'All tiers',
  found: (count: string) => (count === '1' ? '1 account' : `${count} accounts`),
  none: 'No account matches.',
  noneText: 'Search for a part of the email address or of the name, or for the whole id.',
  email: 'Email',
  name: 'Name',
  id: 'Id',
  role: 'Role',
  created: 'Created',
  activeKeys: 'Active keys',
  operator: 'Operator',
  back: 'To the accounts',

  profile: 'Account',
  profileText: 'Who has the account.',
  unnamed: 'without a name',
  usageOf: 'Calls by key and route',
  requestsOf: 'Failed and changing requests',
  changesOf: 'Changes of this account',
  signInLink: 'Create a sign-in link',
  signInLinkText: 'Signs in the person who opens it, once and within 15 minutes. It is not mailed.',
  signInLinkSentence: (email: string, id: number) =>
    `Create a link that signs in to the account of ${email} (account ${id})? The person who opens it is signed in to the account, so hand it to nobody else. It is shown once.`,
  signInLinkMade: 'The sign-in link',
  signInLinkOnce: (time: string) => `You will not see this link again. It works once, until ${time}.`,

  vendors: {
    title: 'Links and devices',
    text: 'Links of the account by their state, and their devices.',
    vendor: 'Vendor',
    active: 'Active',
    unreachable: 'Unreachable',
    needsRelink: 'Sign-in needed',
    devices: 'Devices',
    allAccounts: 'All accounts',
    health: 'Health',
    requests: 'Failed and changing requests of the account',
    none: 'No links.',
    noneText: 'A vendor is listed here with the first link of the account.',
  },

  roleTitle: 'Role',
  roleText: 'An operator uses these pages with an ordinary sign-in.',
  hasRole: 'This account has the role of an operator.',
  hasNoRole: 'This account has no role.',
  giveRole: 'Give the role',
  takeRole: 'Take the role',
  giveRoleTitle: 'Give the role of an operator',
  takeRoleTitle: 'Take the role of an operator',
  giveRoleSentence: (email: string, id: number) =>
    `Give the role of an operator to ${email} (account ${id})? From the next request on, this account sees all accounts and may change them.`,
  takeRoleSentence: (email: string, id: number) =>
    `Take the role of an operator from ${email} (account ${id})? From the next request on, this account sees nothing of these pages.`,
  takeOwnRoleSentence: (email: string) =>
    `Take your own role (${email})? You leave these pages at once, and only a session of the admin token can give the role back.`,
  onlyToken: 'Only a session of the admin token may give the role.',

  keys: 'API keys',
  keysText: 'Keys of the account, the newest first. A key itself is shown only when it is created.',
  noKeys: 'No keys.',
  noKeysText: 'Neither the account nor an operator has created one.',
  label: 'Label',
  scopes: 'Permissions',
  lastUsed: 'Last used',
  never: 'never',
  state: 'State',
  active: 'active',
  revoked: 'revoked',
  unlabelled: 'without a label',
  revoke: 'Revoke',
  revokeTitle: 'Revoke a key',
  revokeSentence: (label: string, id: string) =>
    `Revoke key “${label}” (${id})? Programs that use it are refused from the next request on, on every instance. A revoked key cannot be restored.`,
  revokedAlready: (label: string, id: string) =>
    `Key “${label}” (${id}) is revoked already. Revoke it again, so that every instance is notified again?`,
  revokeNow: 'Revoke key',
  newKey: 'New key',
  newKeyTitle: 'Create a key',
  newKeySentence: (label: string, email: string, scopes: string) =>
    `Create key “${label}” for ${email} with ${scopes}? It is shown once, here; hand it over in a safe way.`,
  newKeyMade: 'The new key',
  createKey: 'Create key',
  labelHint: 'What it is for. At most 60 characters.',
  labelFault: 'Write a label of 1 to 60 ordinary characters.',
  scopesFault: 'Choose at least one.',

  policy: 'Limits',
  policyText: 'How often the account may call. The limits of the tier apply until others are set here.',
  policyFields: {
    per_minute: 'Calls a minute',
    per_hour: 'Calls an hour',
    per_day: 'Calls a UTC day',
    burst: 'Calls at once',
  },
  autoThrottle: 'Halve the limits for 10 minutes when calls keep coming over them',
  numberFault: 'Write a whole number from 1 to 1,000,000,000.',
  setPolicy: 'Set the limits',
  policySentence: (email: string, limits: string) =>
    `Set the limits of ${email} to ${limits}? They hold from the next request on, on every instance.`,
  limitsOf: (minute: string, hour: string, day: string, burst: string) =>
    `${minute} calls a minute, ${hour} an hour, ${day} a day and ${burst} at once`,
  throttleOn: 'halved while calls keep coming over them',
  throttleOff: 'never halved',

  usage: {
    usageText: 'Calls with the keys of the account, to both services. Days begin at midnight UTC.',
    throttled: (until: string) =>
      `Calls kept coming over the limit, so the limits are halved until ${until}.`,
    noUsageText: 'Calls show here within a second.',
  },

  brand: 'Link pages',
  brandText: 'What people see when they connect their devices.',
  noBrand: 'The account has set no name and no colour.',
  brandName: 'Name',
  brandColor: 'Colour',

  newAccount: 'New account',
  newAccountText:
    'An account has no password until its owner sets one. Hand over a sign-in link, or the owner asks for one by email.',
  optional: 'optional',
  tierHint: 'free or pro. Any other name has the limits of free.',
  emailFault: 'Write a whole email address, such as anna@example.com.',
  emailTaken: 'There is an account with this email address already.',
  nameFault: 'At most 200 characters.',
  tierFault: 'Write 1 to 64 characters.',
  create: 'Create account',
  createSentence: (email: string, tier: string) => `Create an account for ${email} with the tier ${tier}?`,

  done: {
    'role-given': 'The role is given. It holds from the next request on.',
    'role-taken': 'The role is taken. It holds from the next request on.',
    'key-revoked': 'The key is revoked. Calls with it are refused from now on.',
    'policy-set': 'The limits are set. They hold from the next request on.',
    'account-created': 'The account is created.',
  },
};

export const ACCOUNTS_WORDS: Words<AccountsWords> = { en: ENGLISH, sv: SWEDISH };
