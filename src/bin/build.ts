import { buildConsole } from './console.ts';

const fault = await buildConsole();
if (fault !== null) {
  console.error(`The scripts of the pages were not built: ${fault}`);
  process.exit(1);
}
