import { contact, webAddress } from './kinds.ts';
import { type Declared, optional, type Values } from './setting.ts';

/** Details of the operator for pages; undefined: not shown. */
export const SITE = {
  contact: optional('ELNAV_CONTACT', contact, {
    description:
      'Contact of the operator, for page footers and /.well-known/security.txt; without it there is neither',
  }),
  privacyUrl: optional('ELNAV_PRIVACY_URL', webAddress, {
    description: 'Address of the privacy policy, linked in page footers',
  }),
  termsUrl: optional('ELNAV_TERMS_URL', webAddress, {
    description: 'Address of the terms of use, linked in page footers',
  }),
  sourceUrl: optional('ELNAV_SOURCE_URL', webAddress, {
    description: 'Address of the source code that runs here, linked in page footers',
  }),
} satisfies Declared;

export type SiteSettings = Values<typeof SITE>;
