import { type SQLInputValue, StatementSync } from 'node:sqlite';

/*
 * Loaded before a process of ours (`node --import`): sends it FAULT_SIGNAL just before its FAULT_AT-th statement on the embedded
 * database. Without a signal it prints the number of statements.
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

if (FAULT_SIGNAL === undefined) process.once('exit', () => console.error(`statements: ${statements}`));
