import { keepFresh } from './parts/keep-fresh.ts';
import { answerInPlace } from './parts/lookup.ts';
import { readBars } from './parts/read-bars.ts';

readBars();
answerInPlace();
keepFresh(readBars);
