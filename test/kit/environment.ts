/** Sets variables of the environment, for clients of others that are told their addresses nowhere else; what it returns unsets them. */
export function setEnvironment(variables: Readonly<Record<string, string>>): () => void {
  Object.assign(process.env, variables);
  return () => {
    for (const name of Object.keys(variables)) delete process.env[name];
  };
}
