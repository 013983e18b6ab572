import { ordersBench } from './orders.ts';
import { run } from './report.ts';

await run([ordersBench]);
