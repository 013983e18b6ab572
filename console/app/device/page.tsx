import { useEffect } from 'preact/hooks';
import { Refused } from '../api/call.ts';
import { useRead } from '../api/queries.ts';
import { type Device, type DeviceState, deviceIn } from '../api/shapes.ts';
import { useVendorNames } from '../api/vendors.ts';
import { ConditionMark } from '../devices/condition-mark.tsx';
import { foreign } from '../format.ts';
import { devices } from '../live/index.ts';
import { ActionButton } from '../parts/action.tsx';
import { Failure } from '../parts/failure.tsx';
import { Link } from '../parts/link.tsx';
import { useTitle } from '../parts/page.tsx';
import { Facts, Name } from '../parts/texts.tsx';
import { isCar } from '../planner/known.ts';
import { hrefOf } from '../route.ts';
import { useSelected } from '../store.ts';
import { words } from '../words/index.ts';
import { Conditions } from './conditions.tsx';
import { Controls } from './controls.tsx';
import { DeviceEvents, PastCommands } from './events.tsx';
import { Freshness, Interventions } from './freshness.tsx';
import { History } from './history.tsx';
import { ChargingSessions, hasSessions } from './sessions.tsx';
import { StateFigures } from './state.tsx';

const texts = words.device;

interface OfDevice {
  readonly vendor: string;
  readonly id: string;
}

/** One device: its state, its history and its commands. */
export function DevicePage({ vendor, id }: OfDevice) {
  const listed = useSelected(devices, () => devices.find(vendor, id));
  const status = useSelected(devices, (all) => all.status);
  const reading = useReading({ vendor, id });
  const device: Device | undefined = listed ?? deviceIn(reading.data);
  /** What is left of a circuit follows from the state: it is asked for again with each new one. */
  const take = (state: DeviceState) => {
    devices.take({ vendor, id }, state);
    void reading.refetch();
  };
  if (device === undefined)
    return <Missing status={status} error={reading.error} onRetry={() => void reading.refetch()} />;
  return (
    <div class="stack device">
      <Head device={device} />
      <Interventions device={device} />
      <div class="device-columns device-control">
        <Now device={device} listed={listed} reading={reading} />
        <section class="card control-card" aria-labelledby="control">
          <h2 id="control">{words.control.title}</h2>
          <Controls
            device={device}
            limits={reading.data?.limits}
            blocked={new Set(device.interventions?.flatMap((one) => one.capabilities) ?? [])}
            onState={take}
          />
        </section>
        <History device={device} />
        <Conditions device={device} onState={take} />
      </div>
      {hasSessions(device) ? <ChargingSessions device={device} /> : null}
      <div class="device-columns">
        <PastCommands device={device} />
        <DeviceEvents device={device} />
      </div>
      <About device={device} />
    </div>
  );
}

/** The reading of a device. One that was kept from an earlier visit may be older than what is listed. */
function useReading({ vendor, id }: OfDevice) {
  const result = useRead('GET /devices/{id}', { path: [id], query: { vendor } });
  const { data } = result;
  useEffect(() => {
    if (data !== undefined) devices.take({ vendor, id }, data.state, data.observed_at);
  }, [data]);
  return result;
}

interface MissingProps {
  readonly status: string;
  readonly error: Error | null;
  readonly onRetry: () => void;
}

function Missing({ status, error, onRetry }: MissingProps) {
  useTitle(words.pages.devices);
  if (error !== null && !(error instanceof Refused && error.status === 404))
    return (
      <div class="stack">
        <h1>{texts.readFailed}</h1>
        <Failure error={error} onRetry={onRetry} />
      </div>
    );
  if (status === 'loading' || error === null)
    return (
      <div class="stack">
        <h1>{words.pages.devices}</h1>
        <p class="soft">{words.loading}</p>
      </div>
    );
  return (
    <div class="stack">
      <h1>{texts.unknown}</h1>
      <p>{texts.unknownText}</p>
      <p>
        <Link class="button" href={hrefOf({ page: 'devices' })}>
          {words.pages.devices}
        </Link>
      </p>
    </div>
  );
}

function Head({ device }: { readonly device: Device }) {
  const vendors = useVendorNames();
  const type = words.types[device.device_type];
  useTitle(foreign(device.name ?? '') || type);
  return (
    <div class="stack-small">
      <p class="small">
        <Link href={hrefOf({ page: 'devices' })}>← {texts.back}</Link>
      </p>
      <div class="device-title">
        <h1>
          <Name text={device.name} />
        </h1>
        <ConditionMark device={device} />
      </div>
      <p class="soft">
        {type} · {vendors.get(device.vendor) ?? device.vendor}
      </p>
      {isCar(device) ? (
        <p>
          <Link
            class="button button-small"
            href={hrefOf({ page: 'planner' }, { vendor: device.vendor, device: device.id })}
          >
            {words.planner.begin}
          </Link>
        </p>
      ) : null}
    </div>
  );
}

interface NowProps {
  readonly device: Device;
  readonly listed: Device | undefined;
  readonly reading: ReturnType<typeof useReading>;
}

function Now({ device, listed, reading }: NowProps) {
  const { data, error, isFetching } = reading;
  const state: DeviceState | undefined = listed?.state ?? data?.state;
  return (
    <section class="card" aria-labelledby="now">
      <div class="card-head">
        <h2 id="now">{texts.now}</h2>
        <ActionButton isBusy={isFetching} onClick={() => void reading.refetch()}>
          {isFetching ? texts.reading : texts.readAgain}
        </ActionButton>
      </div>
      {error === null ? null : <Failure title={texts.readFailed} error={error} />}
      {state === undefined ? (
        error === null ? (
          <p class="soft">{words.loading}</p>
        ) : (
          <p>{texts.neverRead}</p>
        )
      ) : (
        <>
          {error === null ? null : <p class="soft small">{texts.lastKnown}</p>}
          <StateFigures state={state} capacity={data?.available_capacity} />
          <Freshness device={device} data={data} error={error} onDue={() => void reading.refetch()} />
        </>
      )}
    </section>
  );
}

function About({ device }: { readonly device: Device }) {
  return (
    <section class="stack-small" aria-labelledby="facts">
      <h2 id="facts">{texts.facts}</h2>
      <Facts
        facts={[
          [texts.id, <code key="id">{device.id}</code>],
          [
            texts.capabilities,
            <div key="capabilities" class="capabilities">
              {device.capabilities.map((one) => (
                <code key={one}>{one}</code>
              ))}
            </div>,
          ],
        ]}
      />
    </section>
  );
}
