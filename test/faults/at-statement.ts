import { type SQLInputValue, StatementSync } from 'node:sqlite';

/*
 * Loaded before a process of ours (`node --import`): sends it FAULT_SIGNAL just before its FAULT_AT-th statement on the embedded
 * database. Without a signal it prints the number of statements, and how many there were when the service was ready.
 */

type Given = SQLInputValue | Record<string, SQLInputValue>;

const { FAULT_SIGNAL, FAULT_AT } = process.env;
let statements = 0;

function count(): void {
  statements += 1;
  if (FAULT_SIGNAL !== undefined && statements === Number(FAULT_AT)) process.kill(process.pid, FAULT_SIGNAL);
}

const { run, all } = StatementSync.prototype;
StatementSync.prototype.run = function counted(this: StatementSync, ...parameters: Given[]) {
  count();
  return run.apply(this, parameters as never);
};
StatementSync.prototype.all = function counted(this: StatementSync, ...parameters: Given[]) {
  count();
  return all.apply(this, parameters as never);
};

if (FAULT_SIGNAL === undefined) {
  process.once('exit', () => console.error(`statements: ${statements}`));
  const { stdout } = process;
  const write = stdout.write.bind(stdout) as (...parameters: unknown[]) => boolean;
  stdout.write = (...parameters: unknown[]) => {
    if (String(parameters[0]).includes('elnav is ready'))
      console.error(`statements until ready: ${statements}`);
    return write(...parameters);
  };
}
