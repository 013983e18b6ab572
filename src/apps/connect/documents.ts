import type { DocumentOptions } from '../../http/openapi.ts';

/** What the document of Connect says besides its routes. */
export const CONNECT_DOCUMENT = {
  service: 'connect',
  title: 'elnav Connect',
  description: 'One normalized API over many energy devices: link, list, read, command.',
  tags: [
    {
      name: 'Linking',
      description:
        'An end user links an account at a vendor once. You hand over credentials that you have, or send the user to a page of this service that asks for them.',
    },
    {
      name: 'Devices',
      description:
        'Every linked device in the same words, whatever vendor it is of: what it is, how it is, and what it shall do.',
    },
    { name: 'Charging', description: 'What was charged when, as stations and vendors told it.' },
    {
      name: 'Optimization',
      description:
        'The cheapest way to charge by a deadline. Calculated from what is sent; nothing is stored.',
    },
    {
      name: 'Flexibility',
      description: 'What a fleet can give to the grid, and how a change of power is spread over it.',
    },
    { name: 'Webhooks', description: 'Where vendors tell of changes. Your own program does not call it.' },
    { name: 'Partners', description: 'How to become a customer.' },
    { name: 'Operation', description: 'For whoever runs the service.' },
  ],
  warnings: {
    'POST /devices/{id}/command':
      'This moves a real device, unless it is of the sandbox or of a simulator. I mean to do it.',
    'POST /devices/{id}/station':
      'This resets or changes a real charging station, unless it is a simulated one. I mean to do it.',
    'DELETE /links/{id}': 'This forgets the linked account with its devices and states. I mean to do it.',
  },
} satisfies Partial<DocumentOptions>;
