/** Dates and times of ECMAScript's Temporal: the runtime's own where it has them (Node 26), else those of the polyfill (Node 24). */
export { Temporal } from 'temporal-polyfill';
