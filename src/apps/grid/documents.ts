import type { DocumentOptions } from '../../http/openapi.ts';

/** What the document of Grid says besides its routes. */
export const GRID_DOCUMENT = {
  service: 'grid',
  title: 'elnav Grid',
  description:
    'Swedish price areas, grid areas, prices, production and energy tax, and the administration of accounts, keys and limits.',
  tags: [
    { name: 'Look-ups', description: 'In which price area and which grid area a place lies.' },
    { name: 'Regions', description: 'The price areas, and who owns the grids in them.' },
    {
      name: 'Prices',
      description:
        'Day-ahead prices of the four price areas as decimal text, in kronor per kWh without VAT and tax. An answer says so when its figures are a sample.',
    },
    { name: 'Production', description: 'Settled production by type, a few days behind.' },
    { name: 'Energy tax', description: 'What is paid to the state for each kWh, by municipality and day.' },
    {
      name: 'Sign-in',
      description: 'Accounts of people, for browsers. Programs use an API key instead.',
    },
    {
      name: 'Administration',
      description: 'Accounts, keys, limits, bans and back-fills, with the admin token.',
    },
    { name: 'Operation', description: 'For whoever runs the service.' },
  ],
  warnings: {
    'DELETE /admin/keys/{key_id}': 'Whoever uses this key is locked out at once. I mean to do it.',
  },
} satisfies Partial<DocumentOptions>;
