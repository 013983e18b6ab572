import type { FastifyRequest } from 'fastify';
import Type from 'typebox';
import type { Adapter, NextStep } from '../../../adapter/adapter.ts';
import { Device } from '../../../adapter/device.ts';
import { languageOf } from '../../../core/language.ts';
import type { DeviceRow } from '../../../domain/devices/devices/index.ts';

/** What the end user still has to do, elsewhere, before linked devices can do all that they offer. */
export const NextSteps = Type.Optional(
  Type.Array(
    Type.Object(
      {
        id: Type.String({ description: '`pair_key`: approve the key of this service in the car' }),
        url: Type.String({ description: 'Where it is done; send the user there' }),
        title: Type.String(),
        text: Type.String({ description: 'What and why, in the language of Accept-Language' }),
        devices: Type.Array(Device.properties.id),
      },
      { title: 'NextStep' },
    ),
    { description: 'Absent where nothing is left to do' },
  ),
);

/** The steps of the devices of one link, as the vendor's adapter finds them. */
export const nextStepsOf = (
  adapter: Pick<Adapter, 'nextSteps'> | undefined,
  devices: readonly DeviceRow[],
  publicUrl: string,
): readonly NextStep[] => adapter?.nextSteps?.(devices, { domain: new URL(publicUrl).hostname }) ?? [];

/** The same as a field of an answer; none where nothing is left to do. */
export function nextStepsField(
  steps: readonly NextStep[],
  request: FastifyRequest,
): { readonly next_steps?: readonly object[] } {
  const language = languageOf(request.headers['accept-language']);
  return steps.length === 0
    ? {}
    : { next_steps: steps.map(({ id, url, words, devices }) => ({ id, url, ...words[language], devices })) };
}
