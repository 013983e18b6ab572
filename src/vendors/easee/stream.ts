import Type from 'typebox';
import { fits, followDevices, followHub, HUB_SILENCE_SECONDS } from '../../adapter/kit/index.ts';
import type { Stream } from '../../adapter/stream.ts';
import { emptyRaw, isSilent, isWhole, merged, withObservation } from './charger.ts';
import { failure, readCharger } from './client.ts';
import { CommandResponse, responseName } from './commands.ts';

const Update = Type.Object({ mid: Type.String() });

/** Easee's SignalR hub: what chargers observe, and what they say to commands. */
export const stream: Stream = {
  silenceSeconds: HUB_SILENCE_SECONDS,
  async run(session, devices, opened) {
    const chargers = followDevices(session, devices, {
      vendor: 'easee',
      empty: (device) => emptyRaw(device, session.clock.now()),
      isWhole,
      isSilent,
      merged,
      read: (device) => readCharger(session, device),
      seenAt: (raw, now) => ({ ...raw, now }),
    });
    const ending = new AbortController();
    const hub = { vendor: 'Easee', host: 'streams', path: '/hubs/chargers', failure };
    try {
      await followHub(session, {
        ...hub,
        opened(invoke) {
          for (const { id } of devices) invoke('SubscribeWithCurrentState', [id, true]);
          void chargers.readMissing(AbortSignal.any([session.signal, ending.signal]));
          opened();
        },
        invoked(target, args) {
          for (const payload of args) {
            const isUpdate = target === 'ProductUpdate' || target === 'ChargerUpdate';
            if (isUpdate && fits(Update, payload))
              chargers.take(payload.mid, (raw) => withObservation(raw, payload));
            if (target === 'CommandResponse' && fits(CommandResponse, payload))
              session.tell(responseName(payload.serialNumber), payload);
          }
        },
        settled: chargers.report,
        ticked: chargers.reportSilent,
      });
    } finally {
      ending.abort();
    }
  },
};
