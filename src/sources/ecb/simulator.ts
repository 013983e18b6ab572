import type { Clock } from '../../core/clock.ts';
import { Temporal } from '../../core/temporal.ts';
import type { Day, Simulate, SimulatedMarket } from '../contract/market.ts';

/** The daily file of the latest weekday after 16:00. */
export function simulateEcb(market: SimulatedMarket, clock: Clock): Simulate {
  return ({ path }) => {
    const broken = market.broken();
    if (broken !== undefined) return broken;
    if (path !== '/stats/eurofxref/eurofxref-daily.xml') return { status: 404, text: 'Not Found' };
    const rates = { USD: '1.1186', DKK: '7.4639', SEK: market.rate.toFixed(4), NOK: '10.7170' };
    const day = publishedAt(clock.now());
    const cubes = Object.entries(rates).map(
      ([currency, rate]) => `\t\t\t<Cube currency='${currency}' rate='${rate}'/>`,
    );
    return {
      status: 200,
      headers: { 'content-type': 'text/xml' },
      text: `<?xml version="1.0" encoding="UTF-8"?>
<gesmes:Envelope xmlns:gesmes="http://www.gesmes.org/xml/2002-08-01" xmlns="http://www.ecb.int/vocabulary/2002-08-01/eurofxref">
\t<gesmes:subject>Reference rates</gesmes:subject>
\t<gesmes:Sender>
\t\t<gesmes:name>European Central Bank</gesmes:name>
\t</gesmes:Sender>
\t<Cube>
\t\t<Cube time='${day}'>
${cubes.join('\n')}
\t\t</Cube>
\t</Cube>
</gesmes:Envelope>`,
    };
  };
}

function publishedAt(now: number): Day {
  const local = Temporal.Instant.fromEpochMilliseconds(now).toZonedDateTimeISO('Europe/Berlin');
  let day = local.hour < 16 ? local.toPlainDate().subtract({ days: 1 }) : local.toPlainDate();
  while (day.dayOfWeek > 5) day = day.subtract({ days: 1 });
  return day.toString();
}
