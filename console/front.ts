import { keepFresh } from './parts/keep-fresh.ts';
import { answerInPlace } from './parts/lookup.ts';
import { readCurves } from './parts/read-curves.ts';

readCurves();
answerInPlace();
keepFresh(readCurves);
