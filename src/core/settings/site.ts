import { contact, webAddress } from './kinds.ts';
import { type Declared, optional, type Values } from './setting.ts';

/** What pages say of whoever runs the service; undefined: nothing. */
export const SITE = {
  contact: optional('ELNAV_CONTACT', contact, {
    description:
      'Whom to reach, shown in the foot of pages and in /.well-known/security.txt; without it there is neither',
  }),
  privacyUrl: optional('ELNAV_PRIVACY_URL', webAddress, {
    description: 'Address of the privacy policy, linked in the foot of pages',
  }),
  termsUrl: optional('ELNAV_TERMS_URL', webAddress, {
    description: 'Address of the terms of use, linked in the foot of pages',
  }),
  sourceUrl: optional('ELNAV_SOURCE_URL', webAddress, {
    description: 'Address of the source code that runs here, linked in the foot of pages',
  }),
} satisfies Declared;

export type SiteSettings = Values<typeof SITE>;
