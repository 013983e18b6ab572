import type { Setting, SettingReader } from './setting.ts';

/** What pages say of whoever runs the service; undefined: nothing. */
export interface SiteSettings {
  /** `mailto:` or https, for people and for finders of security faults. */
  readonly contact: string | undefined;
  readonly privacyUrl: string | undefined;
  readonly termsUrl: string | undefined;
  readonly sourceUrl: string | undefined;
}

/** Settings of the feet of pages. */
export const SITE_SETTINGS: readonly Setting[] = [
  {
    name: 'ELNAV_CONTACT',
    fallback: '',
    description:
      'Email address or https address of whoever runs the service, for the foot of pages and for /.well-known/security.txt; without it there is neither',
  },
  {
    name: 'ELNAV_PRIVACY_URL',
    fallback: '',
    description: 'Address of the privacy policy, linked in the foot of pages',
  },
  {
    name: 'ELNAV_TERMS_URL',
    fallback: '',
    description: 'Address of the terms of use, linked in the foot of pages',
  },
  {
    name: 'ELNAV_SOURCE_URL',
    fallback: '',
    description: 'Address of the source code that runs here, linked in the foot of pages',
  },
];

const EMAIL = /^[^\s@<>",;:\\?&#%]{1,64}@[a-z0-9.-]{1,253}$/i;

export function readSiteSettings({ parsed }: SettingReader): SiteSettings {
  return {
    contact: parsed('ELNAV_CONTACT', parseContact),
    privacyUrl: parsed('ELNAV_PRIVACY_URL', parseWebAddress),
    termsUrl: parsed('ELNAV_TERMS_URL', parseWebAddress),
    sourceUrl: parsed('ELNAV_SOURCE_URL', parseWebAddress),
  };
}

/** As security.txt wants it: a URI, on the web with TLS (RFC 9116, 2.5.3). */
function parseContact(value: string): string {
  if (EMAIL.test(value)) return `mailto:${value}`;
  if (URL.canParse(value) && new URL(value).protocol === 'https:') return new URL(value).href;
  throw new Error(`must be an email address or an https address, not "${value}"`);
}

function parseWebAddress(value: string): string {
  if (URL.canParse(value) && ['http:', 'https:'].includes(new URL(value).protocol))
    return new URL(value).href;
  throw new Error(`must be an http or https address such as https://example.com/privacy, not "${value}"`);
}
