import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import type { Areas } from '../../../domain/market/areas/index.ts';
import { ValidationError, type ValidationItem } from '../../../http/errors.ts';
import { readParameters } from '../input/parameters.ts';
import { readDay, readPostalCode } from '../lookups/places.ts';
import { TaxAnswer } from '../lookups/schemas.ts';
import { dataRoute } from '../responses/data-route.ts';
import type { PreparedResponses } from '../responses/prepared.ts';

const TaxQuery = Type.Object({
  postal: Type.Optional(
    Type.String({ default: '', description: 'Postal code, five digits', examples: ['11122'] }),
  ),
  kommun: Type.Optional(
    Type.String({ default: '', description: 'Code (four digits) or name of a municipality' }),
  ),
  date: Type.Optional(Type.String({ default: '', description: 'Day, YYYY-MM-DD; default today in Sweden' })),
});

/** Energy tax on electricity of households and services. */
export function addTaxRoute(app: FastifyInstance, areas: Areas, responses: PreparedResponses): void {
  app.get<{ Querystring: Record<string, unknown> }>(
    '/api/v1/tax',
    dataRoute({
      tag: 'Energy tax',
      operationId: 'getEnergyTax',
      summary: 'Look up the energy tax by municipality and day',
      description:
        'Send exactly one of postal and kommun. The reduced rate depends on the municipality, not on the price area.',
      query: TaxQuery,
      answer: TaxAnswer,
      errors: { 404: 'The postal code or municipality does not exist, or no rate is known for the day' },
    }),
    (request, reply) =>
      responses.send(request, reply, () => {
        const asked = taxQueryOf(request.query);
        return areas.tax(asked.of, asked.date);
      }),
  );
}

interface Asked {
  readonly of: Parameters<Areas['tax']>[0];
  readonly date?: string;
}

function taxQueryOf(query: unknown): Asked {
  const { values, faults } = readParameters(TaxQuery, { place: 'query', sent: query });
  if (faults.length > 0) throw new ValidationError(faults);
  const { postal, kommun, date } = values;
  const found: ValidationItem[] = [];
  const day = date === '' ? undefined : readDay('date', date);
  if (day !== undefined && 'fault' in day) found.push(day.fault);
  const code = postal === '' ? undefined : readPostalCode('postal', postal);
  if (code !== undefined && 'fault' in code) found.push(code.fault);
  if ((postal === '') === (kommun.trim() === '')) {
    const error = 'send exactly one of postal and kommun';
    const input = { postal, kommun };
    found.push({ type: 'value_error', loc: ['query'], msg: `Value error, ${error}`, input, ctx: { error } });
  }
  if (found.length > 0) throw new ValidationError(found);
  return {
    of: code !== undefined && 'value' in code ? { postal: code.value } : { kommun },
    ...(day !== undefined && 'value' in day ? { date: day.value } : {}),
  };
}
