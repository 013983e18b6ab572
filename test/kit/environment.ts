/** Sets variables of the environment, for clients of others that are told their addresses nowhere else; what it returns unsets them. */
export function setEnvironment(variables: Readonly<Record<string, string>>): () => void {
  Object.assign(process.env, variables);
  return () => {
    for (const name of Object.keys(variables)) delete process.env[name];
  };
}

/** What every process that a test spawns needs of this one's environment; without the cache, each compiles all modules again. */
export const CHILD_ENV = {
  PATH: process.env.PATH,
  NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
};
