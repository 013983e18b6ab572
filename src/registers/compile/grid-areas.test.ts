import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { compileGridAreas, type RegisteredArea } from './grid-areas.ts';

describe('grid areas of several registers', () => {
  const area = (code: string, type: RegisteredArea['type'], owner_name: string): RegisteredArea => ({
    code,
    name: code,
    type,
    elomrade: 'SE3',
    owner: null,
    owner_name,
  });
  const older = [
    area('AMS', 'DISTRIBUTION', 'Almnäs Elnät AB'),
    area('TRS', 'DISTRIBUTION', 'Almnäs Elnät AB'),
    area('REG', 'REGIONAL', 'Baltic Cable AB'),
  ];
  const newer = [area('AMS', 'DISTRIBUTION', 'Fågelås Elnät AB')];
  const operators = [
    [
      { id: '16800', name: 'Almnäs Elnät AB' },
      { id: '51300', name: 'Baltic Cable AB' },
      { id: '99900', name: 'Gone AB' },
    ],
    [{ id: '16800', name: 'Fågelås Elnät AB' }],
  ];

  it('are those of the newest register for each type', () => {
    const { grid_areas } = compileGridAreas([older, newer], operators);
    assert.deepEqual(
      grid_areas.map(({ code, type }) => [code, type]),
      [
        ['AMS', 'DISTRIBUTION'],
        ['REG', 'REGIONAL'],
      ],
    );
  });

  it('are joined to their owner by id, under its present name', () => {
    const { grid_areas } = compileGridAreas([older], operators);
    assert.deepEqual(grid_areas[0], {
      ...older[0],
      owner: '16800',
      owner_name: 'Fågelås Elnät AB',
      eic: null,
    });
  });

  it('keep an operator that was dropped only while an area names it', () => {
    const { operators: kept } = compileGridAreas([older, newer], operators);
    assert.deepEqual(
      kept.map(({ id }) => id),
      ['16800', '51300'],
    );
  });

  it('have no owner id when the register has none, or two owners have the name', () => {
    const unknown = [
      area('XXX', 'DISTRIBUTION', 'Okänd AB'),
      { ...area('YYY', 'DISTRIBUTION', 'Z'), owner: '12345' },
    ];
    assert.deepEqual(
      compileGridAreas([unknown], operators).grid_areas.map(({ owner }) => owner),
      [null, null],
    );
    const twins = [
      [
        { id: '11111', name: 'Tvilling AB' },
        { id: '22222', name: 'Tvilling AB' },
      ],
    ];
    assert.equal(
      compileGridAreas([[area('TVI', 'DISTRIBUTION', 'Tvilling AB')]], twins).grid_areas[0]?.owner,
      null,
    );
  });
});
