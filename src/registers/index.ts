export { HELP, readArguments } from './arguments.ts';
export { areaFinder, randomPoints, SPLIT_MUNICIPALITIES } from './compile/price-areas.ts';
export type { HttpFor } from './fetch.ts';
export { importTables } from './import-tables.ts';
export { readFigures } from './write-tables.ts';
