export { HELP, readArguments } from './arguments.ts';
export { areaFinder, SPLIT_MUNICIPALITIES } from './compile/price-areas.ts';
export { randomPoints } from './compile/random-points.ts';
export type { HttpFor } from './fetch.ts';
export { readFigures } from './figures.ts';
export { importTables } from './import-tables.ts';
