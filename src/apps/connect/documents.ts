import type { DocumentOptions } from '../../http/openapi.ts';

/** What the document of Connect says besides its routes. */
export const CONNECT_DOCUMENT = {
  service: 'connect',
  title: 'elnav Connect',
  description: 'One API for energy devices of many vendors: link, list, read and control them.',
  tags: [
    {
      name: 'Linking',
      description:
        'Your user links a vendor account once. Send the credentials that you have, or send the user to a page of this service that asks for them.',
    },
    {
      name: 'Devices',
      description:
        'Linked devices of every vendor in one format: what they are, what state they are in, and commands to control them.',
    },
    {
      name: 'Charging',
      description:
        'Charging transactions and meter readings, charge cards, and the maintenance of charging stations.',
    },
    {
      name: 'Optimization',
      description:
        'The cheapest charging schedule by a deadline. Nothing is stored, and no device is controlled.',
    },
    {
      name: 'Flexibility',
      description:
        'How much power a fleet can add or drop, and how a change of power is spread over its members.',
    },
    { name: 'Webhooks', description: 'Vendors report changes here. Your own program does not call it.' },
    { name: 'Partners', description: 'Apply for an account.' },
    { name: 'Operation', description: 'For the operator of the service.' },
  ],
  warnings: {
    'POST /devices/{id}/command':
      'This controls a real device, unless it is a sandbox or simulated device. I want to do this.',
    'POST /devices/{id}/station':
      'This resets or changes a real charging station, unless it is simulated. I want to do this.',
    'DELETE /links/{id}': 'This deletes the linked account with its devices and states. I want to do this.',
  },
} satisfies Partial<DocumentOptions>;
