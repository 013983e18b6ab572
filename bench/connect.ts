import { ordersBench } from './orders.ts';
import { readBench } from './reads.ts';
import { run } from './report.ts';

await run([readBench, ordersBench]);
