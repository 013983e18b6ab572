import { readBench } from './reads.ts';
import { run } from './report.ts';

await run([readBench]);
