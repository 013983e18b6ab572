/** An import line of the generated file; literal text at the start of a line would look like an import of this file. */
export const from = (what: string, where: string): string => `import ${what} from '${where}';`;
