/** Sections of the operator's pages, in the order of the navigation; each is at `/operator/` and its name. */
export const SECTIONS = [
  'accounts',
  'partners',
  'bans',
  'usage',
  'audit',
  'requests',
  'health',
  'prices',
] as const;

export type SectionName = (typeof SECTIONS)[number];

/** Where the operator's pages begin. */
export const OPERATOR_HOME = '/operator';

/** Where who is not signed in goes first. */
export const OPERATOR_SIGN_IN = '/operator/sign-in';

export const sectionPath = (section: SectionName): string => `${OPERATOR_HOME}/${section}`;
