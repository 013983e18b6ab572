import { stationsBench } from './fleet-of-stations.ts';
import { ordersBench } from './orders.ts';
import { pagesBench } from './pages.ts';
import { processBench } from './process.ts';
import { readBench } from './reads.ts';
import { run } from './report.ts';
import { wholeListBench } from './whole-list.ts';
import { write } from './write.ts';

const sections = await run([readBench, wholeListBench, pagesBench, ordersBench, processBench, stationsBench]);
if (process.argv.includes('--write')) write(sections);
