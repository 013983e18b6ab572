import type { DocumentOptions } from '../../http/openapi.ts';

/** What the document of Grid says besides its routes. */
export const GRID_DOCUMENT = {
  service: 'grid',
  title: 'elnav Grid',
  description:
    'Swedish price areas, grid areas, spot prices, production and energy tax. Also sign-in and the administration of accounts, keys and limits.',
  tags: [
    { name: 'Look-ups', description: 'Find the price area, grid areas and energy tax of a place.' },
    { name: 'Regions', description: 'Price areas, and the owners of the grids in them.' },
    {
      name: 'Prices',
      description:
        'Day-ahead prices of the four price areas as decimal strings, in SEK/kWh without VAT and tax. A response with sample prices says so.',
    },
    { name: 'Production', description: 'Settled production by type, a few days old.' },
    { name: 'Energy tax', description: 'The tax on each kWh, by municipality and day.' },
    {
      name: 'Sign-in',
      description: 'Sign-in of people with a browser. Programs use an API key instead.',
    },
    {
      name: 'Administration',
      description: 'Accounts, keys, limits, bans and back-fills, with the admin token.',
    },
    { name: 'Operation', description: 'For the operator of the service.' },
  ],
  warnings: {
    'DELETE /admin/keys/{key_id}':
      'Every program that uses this key is locked out at once. I want to do this.',
  },
} satisfies Partial<DocumentOptions>;
