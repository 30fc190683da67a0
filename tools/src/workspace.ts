import { delimiter, dirname, join } from 'node:path'

export const root = dirname(dirname(import.meta.dirname))

/** An environment in which this Node and the commands of the repository's packages are found first, however the tool was started. */
export const toolEnvironment: NodeJS.ProcessEnv = {
  ...process.env,
  PATH: [dirname(process.execPath), join(root, 'node_modules', '.bin'), process.env['PATH']].join(delimiter),
}
