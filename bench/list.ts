import { pagesBench } from './pages.ts';
import { run } from './report.ts';
import { wholeListBench } from './whole-list.ts';

await run([wholeListBench, pagesBench]);
