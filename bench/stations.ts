import { stationsBench } from './fleet-of-stations.ts';
import { run } from './report.ts';

await run([stationsBench]);
