import { execFile } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { root, toolEnvironment } from './workspace.ts'

export type Project = { name: string; root: string }

/**
 * Finds the projects that a change can touch, with all that depend on them, by Nx's graph. The change is `files`, or what differs from the commit
 * `base`. The lock file touches the projects that use the changed packages.
 */
export async function affectedProjects(change: { base: string } | { files: string[] }): Promise<Project[]> {
  const what = 'base' in change ? `--base=${change.base}` : `--files=${change.files.join(',')}`
  const { stdout } = await promisify(execFile)('nx', ['show', 'projects', '--affected', what, '--json'], {
    cwd: root,
    // Without this Nx would start a daemon that outlives this process.
    env: { ...toolEnvironment, NX_DAEMON: 'false' },
  })
  const names = new Set(JSON.parse(stdout) as string[])
  return everyProject().filter(({ name }) => names.has(name))
}

/** Lists the workspaces in package.json. */
export function everyProject(): Project[] {
  const { workspaces } = read('package.json') as { workspaces: string[] }
  return globSync(
    workspaces.map((workspace) => `${workspace}/package.json`),
    { cwd: root },
  )
    .map((file) => ({ name: (read(file) as { name: string }).name, root: dirname(file) }))
    .toSorted((one, other) => (one.root < other.root ? -1 : 1))
}

const read = (file: string): unknown => JSON.parse(readFileSync(join(root, file), 'utf8'))
