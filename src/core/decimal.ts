import Type from 'typebox';

/** An exact decimal number as text, so that no digit is lost: money, and prices per kWh. */
export const decimal = (description: string, example = '0.4213') =>
  Type.String({
    title: 'Decimal',
    format: 'decimal',
    pattern: '^-?\\d+(\\.\\d+)?$',
    description,
    examples: [example],
  });
