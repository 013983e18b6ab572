import { readAgain } from './parts/read-again.ts';

readAgain();
