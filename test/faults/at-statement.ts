import { type SQLInputValue, StatementSync } from 'node:sqlite';

/*
 * Loaded before a process of ours (`node --import`): sends it FAULT_SIGNAL just before its statement number FAULT_AT on the
 * embedded database. Without a signal it prints how many there were.
 */

type Given = SQLInputValue | Record<string, SQLInputValue>;

const { FAULT_SIGNAL, FAULT_AT } = process.env;
let seen = 0;

function count(): void {
  seen += 1;
  if (FAULT_SIGNAL !== undefined && seen === Number(FAULT_AT)) process.kill(process.pid, FAULT_SIGNAL);
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

if (FAULT_SIGNAL === undefined) process.once('exit', () => console.error(`statements: ${seen}`));
