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
  start: () => [
    {
      title: 'API key',
      text: 'Look-ups, prices and production work without a key, within a daily quota for each IP address. With a key, the limits of your account apply. Create one in the console, to which [your account page](/account) leads, and send it in the header `X-Api-Key`. The same key works on Connect.',
    },
    {
      title: 'First call',
      text: 'Read the current price of all areas with [GET /api/v1/prices/current](#get-api-v1-prices-current), or find the price area of a place with [GET /api/v1/lookup/postal](#get-api-v1-lookup-postal).',
    },
    {
      title: 'Errors',
      text: 'Every error is a JSON object `{"detail": …}` with a sentence, and has a stable code in the header `Elnav-Error`. With status 422, `detail` is a list with one item for each invalid parameter. See [Errors](#errors).',
    },
    {
      title: 'Rate limits',
      text: 'Each account has limits per minute, hour and day. The headers `RateLimit` and `RateLimit-Policy` show them. Over a limit, the response is 429; retry after `Retry-After` seconds.',
    },
    {
      title: 'Money and time',
      text: 'Prices are decimal strings, so that no digit is lost. Times are in UTC. A day is a day in Sweden and has 23, 24 or 25 hours.',
    },
    {
      title: 'Administration',
      text: 'The operations under Administration need the admin token in the header `X-Admin-Token`. Their parameters go into the query string.',
    },
  ],
  firstCalls: ['GET /api/v1/prices/current', 'GET /api/v1/lookup/postal'],
  warnings: {
    'DELETE /admin/keys/{key_id}':
      'Every program that uses this key is locked out at once. I want to do this.',
  },
} satisfies Partial<DocumentOptions>;
