import { useEffect, useMemo, useState } from 'preact/hooks';
import { call } from '../api/call.ts';
import type { Plan, PlanRequest } from '../api/shapes.ts';
import { newestWins, type Outcome } from '../parts/newest.ts';
import { type Charge, orderedRequest, planRequest } from './request.ts';
import type { Slot } from './slots.ts';

/** The cheapest plan of a charge, and what it is compared with. */
export interface Plans {
  readonly request: PlanRequest;
  readonly cheapest: Plan;
  /** As soon as possible, whatever the deadline is. */
  readonly atOnce: Plan;
  readonly late: Plan;
}

/** The service has gone on to the next slot. */
class Drifted extends Error {}

export interface Planned {
  /** The newest that has come; it may be of another deadline than the one that is being moved. */
  readonly shown: { readonly charge: Charge; readonly plans: Plans } | undefined;
  readonly error: Error | undefined;
  readonly isAsking: boolean;
  retry(): void;
}

/**
 * The plans of a charge, asked for one after the other: of the charges that come meanwhile only the newest.
 * @param onDrift has the prices loaded again, from the current slot
 */
export function usePlans(charge: Charge | undefined, onDrift: () => void): Planned {
  const [outcome, setOutcome] = useState<Outcome<Charge, Plans>>();
  const [tries, setTries] = useState(0);
  // A deadline that is moved back and forth is asked for once at each place.
  const ask = useMemo(() => remembered(), [charge?.slots]);
  const asker = useMemo(
    () =>
      newestWins<Charge, Plans>(
        (one) => plansOf(one, ask),
        (heard) => {
          if ('error' in heard && heard.error instanceof Drifted) onDrift();
          else setOutcome(heard);
        },
      ),
    [ask],
  );
  useEffect(() => () => asker.stop(), [asker]);
  const key = charge === undefined ? '' : keyOf(charge);
  useEffect(() => {
    if (charge !== undefined) asker.ask(charge);
  }, [asker, key, tries]);
  const isOf = (of: Charge) => charge !== undefined && of.area === charge.area;
  const shown = outcome !== undefined && 'answer' in outcome && isOf(outcome.question) ? outcome : undefined;
  const error = outcome !== undefined && 'error' in outcome ? outcome : undefined;
  return {
    shown: shown === undefined ? undefined : { charge: shown.question, plans: shown.answer },
    error: error !== undefined && keyOf(error.question) === key ? error.error : undefined,
    isAsking: charge !== undefined && (outcome === undefined || keyOf(outcome.question) !== key),
    retry: () => setTries(tries + 1),
  };
}

const keyOf = ({ area, setting, numbers, lastSlot, slots, isFromNow }: Charge): string =>
  JSON.stringify([area, setting, numbers, lastSlot, slots[0]?.start, slots.length, isFromNow]);

type Ask = (request: PlanRequest) => Promise<Plan>;

/** Asks for a plan once for each request. What failed is asked again. */
function remembered(): Ask {
  const answers = new Map<string, Promise<Plan>>();
  return (request) => {
    const key = JSON.stringify(request);
    const known = answers.get(key);
    if (known !== undefined) return known;
    const answer = call('POST /optimize/plan', { body: request }).then(({ body }) => body);
    answers.set(key, answer);
    answer.catch(() => answers.delete(key));
    return answer;
  };
}

async function plansOf(charge: Charge, ask: Ask): Promise<Plans> {
  const { slots } = charge;
  const request = planRequest(charge);
  const [cheapest, atOnce, late] = await Promise.all([
    ask(request),
    ask(orderedRequest({ ...charge, lastSlot: slots.length - 1 }, 'at once')),
    ask(orderedRequest(charge, 'late')),
  ]);
  if (!isOfSlots(cheapest, slots)) throw new Drifted();
  return { request, cheapest, atOnce, late };
}

/** Whether a plan has the slots of the page: where it named the area, the service took its own. */
const isOfSlots = ({ slots }: Plan, own: readonly Slot[]): boolean =>
  slots.length === own.length && Date.parse(slots[0]?.start ?? '') === own[0]?.start;
